// A Chase-Lev deque: the owner pushes N elements and takes them again, a thief
// steals two. Every element is taken once.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int top, bottom, items[N];
static int taken[N + 1];

static void push(int item) {
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&items[b], item, memory_order_relaxed);
    atomic_store_explicit(&bottom, b + 1, memory_order_release);
}

static int take(void) {
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    int item = 0;
    if (t <= b) {
        item = atomic_load_explicit(&items[b], memory_order_relaxed);
        if (t != b)
            return item;
        if (!atomic_compare_exchange_strong(&top, &t, t + 1))
            item = 0;
    }
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return item;
}

static int steal(void) {
    int t = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    int b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b)
        return 0;
    int item = atomic_load_explicit(&items[t], memory_order_relaxed);
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? item : 0;
}

static void *thief(void *arg) {
    (void)arg;
    int first = steal(), second = steal();
    return (void *)(long)(first * (N + 1) + second);
}

int main(void) {
    pthread_t thread;
    void *stolen;
    pthread_create(&thread, 0, thief, 0);
    for (int k = 1; k <= N; k++)
        push(k);
    for (int k = 0; k < N; k++)
        taken[take()]++;
    pthread_join(thread, &stolen);
    taken[(long)stolen / (N + 1)]++;
    taken[(long)stolen % (N + 1)]++;
    for (int k = 1; k <= N; k++)
        assert(taken[k] == 1);
    return 0;
}
