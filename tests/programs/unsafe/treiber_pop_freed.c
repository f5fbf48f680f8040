// A lock-free stack that frees nodes while another pop still looks at them.
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
        exit(0);
    node->next = atomic_load(&top);
    atomic_store(&top, node);
}

static void *pop(void *arg) {
    (void)arg;
    struct node *seen = atomic_load(&top);
    while (seen && !atomic_compare_exchange_strong(&top, &seen, seen->next)) //~ VIOLATION: use-after-free
        ;
    free(seen);
    return 0;
}

int main(void) {
    pthread_t a, b;
    push();
    push();
    pthread_create(&a, 0, pop, 0);
    pthread_create(&b, 0, pop, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
