// A stack without locks whose top is a pointer with a tag, changed together.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Node {
    struct Node *next;
    int value;
} Node;

typedef struct {
    Node *node;
    uintptr_t tag;
} Top;

static _Atomic Top top;
static Node nodes[2];

static void push(Node *node) {
    Top old = atomic_load(&top), new;
    do {
        node->next = old.node;
        new = (Top){node, old.tag + 1};
    } while (!atomic_compare_exchange_strong(&top, &old, new));
}

static Node *pop(void) {
    Top old = atomic_load(&top), new;
    do {
        if (old.node == NULL) return NULL;
        new = (Top){old.node->next, old.tag + 1};
    } while (!atomic_compare_exchange_strong(&top, &old, new));
    return old.node;
}

static void *work(void *arg) {
    Node *mine = pop();
    if (mine == NULL) return 0;
    mine->value += *(int *)arg;
    push(mine);
    return 0;
}

int main(void) {
    pthread_t a, b;
    int one = 1, two = 2;
    push(&nodes[0]);
    push(&nodes[1]);
    pthread_create(&a, 0, work, &one);
    pthread_create(&b, 0, work, &two);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(nodes[0].value + nodes[1].value == 3);
    Node *first = pop(), *second = pop();
    assert(first && second && first != second && pop() == NULL);
    return 0;
}
