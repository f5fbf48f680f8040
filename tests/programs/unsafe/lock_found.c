// Whether the word is free in the beginning is an input: nobody need get it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int word, got;

static void *worker(void *number) {
    int free = 0, mine = (int)(long)number;
    if (atomic_compare_exchange_strong(&word, &free, mine)) {
        atomic_store(&got, mine);
        atomic_exchange(&word, 0);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    atomic_init(&word, __VERIFIER_nondet_int());
    pthread_create(&a, 0, worker, (void *)1);
    pthread_create(&b, 0, worker, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(got != 0); //~ VIOLATION: assertion
    return 0;
}
