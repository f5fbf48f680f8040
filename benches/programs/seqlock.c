// A writer changes two words N times behind a sequence lock; a reader tries once.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int first, second;

static void *writer(void *arg) {
    for (int k = 1; k <= N; k++) {
        unsigned begun = atomic_load_explicit(&sequence, memory_order_relaxed) + 1;
        atomic_store_explicit(&sequence, begun, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&first, k, memory_order_relaxed);
        atomic_store_explicit(&second, k, memory_order_relaxed);
        atomic_store_explicit(&sequence, begun + 1, memory_order_release);
    }
    return arg;
}

static void *reader(void *arg) {
    unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
    int a = atomic_load_explicit(&first, memory_order_relaxed);
    int b = atomic_load_explicit(&second, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    unsigned after = atomic_load_explicit(&sequence, memory_order_relaxed);
    assert(before != after || before % 2 || a == b);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
