// No block ever has the address of a variable, or none.
#include <assert.h>
#include <stdlib.h>

static int x;

int main(void) {
    int *old = malloc(sizeof *old);
    free(old);
    assert(old != 0 && old != &x);
    return 0;
}
