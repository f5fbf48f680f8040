// Two fields that were never set need not agree, though each is one value for all who look.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int left;
    int right;
};

static struct node *node;
static int left;

static void *look(void *arg) {
    left = node->left;
    return arg;
}

int main(void) {
    pthread_t thread;
    node = malloc(sizeof *node);
    pthread_create(&thread, 0, look, 0);
    pthread_join(thread, 0);
    assert(left == node->left);
    assert(left == node->right); //~ VIOLATION: assertion
    return 0;
}
