// A compare-exchange that fails has the order of its failure.
//@ models: sc tso
//@ args: --check race
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int ready;

static void *first(void *arg) {
    data = 1; //~ VIOLATION: data-race
    atomic_store_explicit(&ready, 1, memory_order_release);
    return arg;
}

static void *second(void *arg) {
    int expected = 0;
    if (!atomic_compare_exchange_strong_explicit(&ready, &expected, 2, memory_order_acq_rel,
                                                 memory_order_relaxed))
        data = 2; //~ VIOLATION: data-race
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
