// A spin lock that nobody gives back: the second thread waits in its helper functions for ever.
//@ models: sc tso pso
//@ lazy: bounded  in the formula a loop with functions of its own is no wait
#include <pthread.h>

static int lock;

static _Bool exchange(int *place, int *expected, int new) {
    return __atomic_compare_exchange_n(place, expected, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static int try_lock(void) {
    int expected = 0;
    return exchange(&lock, &expected, 1);
}

static void *work(void *arg) {
    (void)arg;
    while (!try_lock()) //~ VIOLATION: deadlock
        ;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
