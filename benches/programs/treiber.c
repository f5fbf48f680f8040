// N threads push onto a Treiber stack and pop from it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static _Atomic(struct node *) top;

static void push(struct node *node) {
    struct node *seen = atomic_load(&top);
    do
        node->next = seen;
    while (!atomic_compare_exchange_strong(&top, &seen, node));
}

static struct node *pop(void) {
    struct node *seen = atomic_load(&top);
    while (seen && !atomic_compare_exchange_strong(&top, &seen, seen->next))
        ;
    return seen;
}

static void *work(void *arg) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        abort();
    node->value = (int)(long)arg;
    push(node);
    struct node *popped = pop();
    assert(popped);
    return (void *)(long)popped->value;
}

int main(void) {
    pthread_t threads[N];
    for (long t = 0; t < N; t++)
        pthread_create(&threads[t], 0, work, (void *)(t + 1));
    long total = 0;
    for (int t = 0; t < N; t++) {
        void *value;
        pthread_join(threads[t], &value);
        total += (long)value;
    }
    assert(total == N * (N + 1) / 2);
    return 0;
}
