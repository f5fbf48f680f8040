// A lock-free stack: two pushes and a pop lose and invent nothing.
//@ algorithms: dpor optimal
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static _Atomic(struct node *) top;
static int popped;

static void *push(void *arg) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        abort();
    node->value = (int)(long)arg;
    struct node *seen = atomic_load(&top);
    do
        node->next = seen;
    while (!atomic_compare_exchange_strong(&top, &seen, node));
    return 0;
}

static void *pop(void *arg) {
    (void)arg;
    struct node *seen = atomic_load(&top);
    while (seen && !atomic_compare_exchange_strong(&top, &seen, seen->next))
        ;
    if (seen)
        popped = seen->value;
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, push, (void *)1);
    pthread_create(&b, 0, push, (void *)2);
    pthread_create(&c, 0, pop, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    int sum = popped;
    for (struct node *n = top; n; n = n->next)
        sum += n->value;
    assert(sum == 3);
    return 0;
}
