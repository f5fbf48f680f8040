// The lock-free stack that Dmitry Vyukov posted as SafeStack: nodes in an array, a
// head index, a count, and per-node links that are exchanged with -1 while a node
// is being popped. A node can be popped by two threads at once, but it takes three
// threads and many switches.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define NODES 3
#define THREADS 3
#ifndef ROUNDS
#define ROUNDS 2
#endif

static struct {
    int value;
    atomic_int next;
} nodes[NODES];
static atomic_int head, count;

static int pop(void) {
    while (atomic_load(&count) > 1) {
        int first = atomic_load(&head);
        int second = atomic_exchange(&nodes[first].next, -1);
        if (second >= 0) {
            // A failed exchange overwrites what it expected.
            int expected = first;
            if (atomic_compare_exchange_strong(&head, &expected, second)) {
                atomic_fetch_sub(&count, 1);
                return first;
            }
            atomic_exchange(&nodes[first].next, second);
        }
    }
    return -1;
}

static void push(int node) {
    int first = atomic_load(&head);
    do {
        atomic_store(&nodes[node].next, first);
    } while (!atomic_compare_exchange_strong(&head, &first, node));
    atomic_fetch_add(&count, 1);
}

static void *work(void *arg) {
    int me = (int)(long)arg;
    for (int round = 0; round < ROUNDS; round++) {
        int node;
        do {
            node = pop();
        } while (node < 0);
        nodes[node].value = me;
        assert(nodes[node].value == me);
        push(node);
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    atomic_init(&count, NODES);
    for (int node = 0; node < NODES; node++)
        atomic_init(&nodes[node].next, node < NODES - 1 ? node + 1 : -1);
    for (long at = 0; at < THREADS; at++)
        pthread_create(&threads[at], 0, work, (void *)at);
    for (int at = 0; at < THREADS; at++)
        pthread_join(threads[at], 0);
    return 0;
}
