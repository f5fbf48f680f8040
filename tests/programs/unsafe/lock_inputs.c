// What is left in the word is an input, so it may be free again at once: then two threads are
// inside.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int word, inside;

static void *worker(void *unused) {
    (void)unused;
    int free = 0, mine = __VERIFIER_nondet_int();
    if (atomic_compare_exchange_strong(&word, &free, mine)) {
        assert(atomic_fetch_add(&inside, 1) == 0); //~ VIOLATION: assertion
        atomic_fetch_sub(&inside, 1);
        atomic_exchange(&word, 0);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
