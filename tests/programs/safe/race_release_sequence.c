// A read-modify-write in between carries the release on.
//@ models: sc tso pso
//@ args: --check all
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int data;
static atomic_int stage;

static void *first(void *arg) {
    data = 1;
    atomic_store_explicit(&stage, 1, memory_order_release);
    return arg;
}

static void *second(void *arg) {
    atomic_fetch_add_explicit(&stage, 1, memory_order_relaxed);
    if (atomic_load_explicit(&stage, memory_order_acquire) == 2 &&
        atomic_load_explicit(&stage, memory_order_acquire) == 2)
        data = 2;
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
