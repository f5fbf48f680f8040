// A list on the heap, built, walked and freed.
#include <assert.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

int main(void) {
    struct node *head = 0;
    for (int i = 0; i < 4; i++) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            return 0;
        node->value = i;
        node->next = head;
        head = node;
    }
    int sum = 0;
    while (head) {
        struct node *next = head->next;
        sum += head->value;
        free(head);
        head = next;
    }
    assert(sum == 6);
    free(0);
    return 0;
}
