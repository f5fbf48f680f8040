// Two threads free the same block, each perhaps before the other's free is in memory.
//@ models: sc tso pso
#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *work(void *arg) {
    free(block); //~ VIOLATION: double-free
    return arg;
}

int main(void) {
    pthread_t a, b;
    block = malloc(sizeof *block);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
