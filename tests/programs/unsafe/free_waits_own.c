// That a block is freed may wait in the store buffer; for its own thread it is gone at
// once.
//@ models: sc tso pso
#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *work(void *arg) {
    int *mine = block;
    *mine = 1;
    free(mine);
    return *mine ? arg : 0; //~ VIOLATION: use-after-free
}

int main(void) {
    pthread_t t;
    block = malloc(sizeof *block);
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return 0;
}
