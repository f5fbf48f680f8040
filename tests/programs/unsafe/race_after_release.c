// What follows a release store is not released by it.
//@ models: sc tso pso
//@ args: --check race
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int ready;

static void *first(void *arg) {
    atomic_store_explicit(&ready, 1, memory_order_release);
    data = 1; //~ VIOLATION: data-race
    return arg;
}

static void *second(void *arg) {
    if (atomic_load_explicit(&ready, memory_order_acquire))
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
