// A turn in vain is remembered in memory that only the thread can see, and used afterwards: so
// it is no wait, though everything else is as it was.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>

static int lock = 1;

static _Bool exchange(int *place, int *expected, int new) {
    return __atomic_compare_exchange_n(place, expected, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void note(int *times) {
    if (*times < 2)
        ++*times;
}

static void *work(void *arg) {
    (void)arg;
    int expected = 0, times = 0;
    while (!exchange(&lock, &expected, 1)) {
        expected = 0;
        note(&times);
    }
    assert(times < 2); //~ VIOLATION: assertion
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    __atomic_store_n(&lock, 0, __ATOMIC_SEQ_CST);
    pthread_join(t, 0);
    return 0;
}
