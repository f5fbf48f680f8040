// A spin lock by compare-and-exchange in functions of its own, with a variable for what is
// expected: a turn in vain makes that variable, and it is gone at the end of the turn. So
// there are as many executions as orders in which three threads take the lock: 3! = 6.
//@ models: sc tso pso
//@ executions[optimal,sc]: 6
#include <assert.h>
#include <pthread.h>

static int lock, counter;

static _Bool exchange(int *place, int *expected, int new) {
    return __atomic_compare_exchange_n(place, expected, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static int try_lock(int *lock) {
    int expected = 0;
    return exchange(lock, &expected, 1);
}

static void *work(void *arg) {
    (void)arg;
    for (;;) {
        if (try_lock(&lock))
            break;
    }
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
