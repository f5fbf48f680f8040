// A block is filled before its address is shown by a relaxed store.
//@ models: sc tso pso
//@ args: --check assert,deadlock,memory,race,leak,overflow
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shown;

static void *first(void *arg) {
    int *block = malloc(sizeof *block);
    if (!block)
        abort();
    *block = 1; //~ VIOLATION[pso]: data-race
    atomic_store_explicit(&shown, block, memory_order_relaxed);
    return arg;
}

static void *second(void *arg) {
    int *block = atomic_load_explicit(&shown, memory_order_acquire);
    if (block && *block != 1) //~ VIOLATION: data-race
        exit(1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
