// A pointer and its counter in one atomic word of 16 bytes: what is popped and pushed again
// in between is noticed.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

typedef unsigned __int128 Wide;

static Wide sum;

static void *add(void *arg) {
    (void)arg;
    Wide old = __atomic_load_n(&sum, __ATOMIC_RELAXED);
    // The upper half counts how often the lower one has changed.
    while (!__atomic_compare_exchange_n(&sum, &old, old + 3 + ((Wide)1 << 64), 0,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {}
    return 0;
}

static void *look(void *arg) {
    (void)arg;
    Wide seen = __atomic_load_n(&sum, __ATOMIC_ACQUIRE);
    assert((uint64_t)seen == 3 * (uint64_t)(seen >> 64));
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_create(&c, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(sum == 6 + ((Wide)2 << 64));
    assert(__atomic_fetch_sub(&sum, 7, __ATOMIC_SEQ_CST) == 6 + ((Wide)2 << 64));
    assert(sum == ((Wide)1 << 64) + UINT64_MAX);
    assert(__atomic_exchange_n(&sum, 5, __ATOMIC_SEQ_CST) == ((Wide)1 << 64) + UINT64_MAX);
    assert(__atomic_or_fetch(&sum, (Wide)1 << 100, __ATOMIC_RELAXED) == (((Wide)1 << 100) | 5));
    assert(__atomic_and_fetch(&sum, ~(Wide)4, __ATOMIC_RELAXED) == (((Wide)1 << 100) | 1));
    assert(__atomic_xor_fetch(&sum, (Wide)3, __ATOMIC_RELAXED) == (((Wide)1 << 100) | 2));
    __atomic_store_n(&sum, (Wide)-1, __ATOMIC_RELEASE);
    assert(__atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED) == (Wide)-1);
    assert(__atomic_fetch_nand(&sum, (Wide)9, __ATOMIC_SEQ_CST) == 0);
    assert(sum == (Wide)-1);
    return 0;
}
