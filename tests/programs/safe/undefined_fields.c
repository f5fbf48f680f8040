// Fields of a block that were never set are the same for two threads, one of which looks at a
// copy. What was set is what it was set to.
//@ models: sc tso pso
//@ verdict: bounded
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    short key;
    short flags;
    int weight;
};

static struct node *node;
static int found;

static void *look(void *arg) {
    struct node copy = *node;
    found = copy.flags > 0;
    assert(copy.key == 7);
    return arg;
}

int main(void) {
    pthread_t thread;
    node = malloc(sizeof *node);
    node->key = 7;
    pthread_create(&thread, 0, look, 0);
    int before = node->flags > 0;
    pthread_join(thread, 0);
    assert(found == before);
    free(node);
    return 0;
}
