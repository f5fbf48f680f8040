// A spin lock by test-and-set in a helper function: exchanges that put back what was there are
// in no order with each other. 3! orders of three threads.
//@ models: sc tso pso
//@ executions[optimal,sc]: 6
#include <assert.h>
#include <pthread.h>

static int lock, counter;

static int test_and_set(int *lock) {
    return __atomic_exchange_n(lock, 1, __ATOMIC_SEQ_CST);
}

static void *work(void *arg) {
    (void)arg;
    while (test_and_set(&lock))
        ;
    counter++;
    __atomic_store_n(&lock, 0, __ATOMIC_SEQ_CST);
    return 0;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(counter == 3);
    return 0;
}
