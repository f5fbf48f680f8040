// GCC's __atomic functions.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static int x;
static bool flag;

static void *work(void *arg) {
    (void)arg;
    int seen = __atomic_load_n(&x, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&x, &seen, seen + 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
        ;
    return 0;
}

int main(void) {
    __atomic_store_n(&x, 4, __ATOMIC_RELEASE);
    assert(__atomic_add_fetch(&x, 1, __ATOMIC_SEQ_CST) == 5);
    assert(__atomic_exchange_n(&x, 0, __ATOMIC_SEQ_CST) == 5);
    assert(!__atomic_test_and_set(&flag, __ATOMIC_SEQ_CST));
    assert(__atomic_test_and_set(&flag, __ATOMIC_SEQ_CST));
    __atomic_clear(&flag, __ATOMIC_SEQ_CST);
    assert(!flag);
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
