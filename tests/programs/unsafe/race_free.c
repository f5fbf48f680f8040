// A block is freed while another thread may read it.
//@ models: sc tso
//@ args: --check race
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key, value;
};

static struct node *make(int value) {
    struct node *node = calloc(1, sizeof *node);
    node->value = value;
    return node;
}

static struct node *shared;

static void *first(void *arg) {
    int seen = shared->value; //~ VIOLATION: data-race
    return seen ? arg : 0;
}

static void *second(void *arg) {
    free(shared); //~ VIOLATION: data-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    shared = make(1);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
