// The only pointer to a list is overwritten.
//@ models: sc pso
//@ args: --check leak
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static struct node *list;

static struct node *make(int value) {
    struct node *node = malloc(sizeof *node); //~ VIOLATION: memory-leak
    node->value = value;
    node->next = 0;
    return node;
}

int main(void) {
    list = make(1);
    list->next = make(2);
    list = 0;
    return 0;
}
