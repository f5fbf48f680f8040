// An allocation that is not checked, and one that is, when any may fail.
//@ args: --malloc-fails
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    if (!p)
        return 1;
    int *q = calloc(1, sizeof *q);
    *q = 1; //~ VIOLATION: null-dereference
    free(p);
    free(q);
    return 0;
}
