// What a thread has stored to a block is in the larger one, though it may not have been in
// memory when the block was moved.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *work(void *arg) {
    block[0] = 1;
    block[1] = 2;
    int *larger = realloc(block, 4 * sizeof *larger);
    assert(larger[0] == 1 && larger[1] == 2);
    larger[3] = 3;
    free(larger);
    return arg;
}

static void *idle(void *arg) {
    return arg;
}

int main(void) {
    pthread_t a, b;
    block = malloc(2 * sizeof *block);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, idle, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
