// The operations of <stdatomic.h>, in one thread and then between two.
//@ executions[optimal,sc]: 2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static _Atomic long wide = 5;

static void *work(void *arg) {
    (void)arg;
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    return 0;
}

int main(void) {
    int expected = 0;
    assert(atomic_compare_exchange_strong(&x, &expected, 3));
    assert(!atomic_compare_exchange_strong(&x, &expected, 4) && expected == 3);
    assert(atomic_fetch_sub(&x, 3) == 3);
    assert(atomic_fetch_or(&x, 6) == 0 && atomic_fetch_and(&x, 3) == 6);
    assert(atomic_fetch_xor(&x, 2) == 2 && atomic_load(&x) == 0);
    assert(atomic_exchange(&wide, 7) == 5 && wide == 7);
    wide++;
    atomic_thread_fence(memory_order_seq_cst);
    assert(atomic_load_explicit(&wide, memory_order_acquire) == 8);
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
