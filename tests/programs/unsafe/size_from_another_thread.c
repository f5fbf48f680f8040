// How large a block is was decided by another thread, by an input.
//@ models: sc tso pso
#include <pthread.h>
#include <stdlib.h>

extern _Bool __VERIFIER_nondet_bool(void);

static int *block;

static void *make(void *arg) {
    int count = __VERIFIER_nondet_bool() ? 4 : 8;
    block = calloc(count, sizeof *block);
    return arg;
}

int main(void) {
    pthread_t maker;
    pthread_create(&maker, 0, make, 0);
    pthread_join(maker, 0);
    if (block)
        block[7]++; //~ VIOLATION: out-of-bounds
    free(block);
    return 0;
}
