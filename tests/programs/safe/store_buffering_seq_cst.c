// Sequentially consistent atomics forbid what store buffers allow to plain stores.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b;

static void *left(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_seq_cst);
    a = atomic_load_explicit(&y, memory_order_seq_cst);
    return arg;
}

static void *right(void *arg) {
    atomic_store_explicit(&y, 1, memory_order_seq_cst);
    b = atomic_load_explicit(&x, memory_order_seq_cst);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, left, 0);
    pthread_create(&threads[1], 0, right, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(a == 1 || b == 1);
    return 0;
}
