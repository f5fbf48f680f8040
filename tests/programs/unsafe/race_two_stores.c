// A store reads nothing, so it acquires nothing, whatever its order.
//@ models: sc tso
//@ args: --check race
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag, passed;

static void *first(void *arg) {
    data = 1; //~ VIOLATION: data-race
    atomic_store(&flag, 1);
    atomic_store_explicit(&passed, 1, memory_order_relaxed);
    return arg;
}

static void *second(void *arg) {
    if (atomic_load_explicit(&passed, memory_order_relaxed)) {
        atomic_store(&flag, 2);
        data = 2; //~ VIOLATION: data-race
    }
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
