// Only where both relaxed stores can wait do both threads come to the data.
//@ models: sc tso pso
//@ args: --check race
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int x, y;

static void *first(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&y, memory_order_relaxed))
        data = 1; //~ VIOLATION[tso,pso]: data-race
    return arg;
}

static void *second(void *arg) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&x, memory_order_relaxed))
        data = 2; //~ VIOLATION[tso,pso]: data-race
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
