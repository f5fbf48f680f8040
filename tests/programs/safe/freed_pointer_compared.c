// A new block may get the address of a freed one. Here it never does, so that is a
// bound.
//@ verdict: bounded
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *old = malloc(sizeof *old);
    free(old);
    int *new = malloc(sizeof *new);
    assert(old != new);
    free(new);
    return 0;
}
