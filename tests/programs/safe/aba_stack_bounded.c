// A stack whose pop frees the node. The pop that is interrupted holds the address
// of a freed node; an allocator that gives it out again makes the exchange succeed
// with a stale successor. Addresses are not reused here, so no claim is made.
//@ verdict: bounded
//@ algorithms: dpor optimal
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
};

static _Atomic(struct node *) top;

static void push(void) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        abort();
    struct node *seen = atomic_load(&top);
    do
        node->next = seen;
    while (!atomic_compare_exchange_strong(&top, &seen, node));
}

static void *exchange(void *arg) {
    struct node *seen = atomic_load(&top);
    struct node *empty = 0;
    atomic_compare_exchange_strong(&top, &seen, empty);
    return arg;
}

static void *replace(void *arg) {
    struct node *old = atomic_exchange(&top, 0);
    free(old);
    push();
    return arg;
}

int main(void) {
    pthread_t a, b;
    push();
    pthread_create(&a, 0, exchange, 0);
    pthread_create(&b, 0, replace, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
