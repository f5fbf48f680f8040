// What was never written may be anything, but it is the same each time it is read.
//@ verdict: bounded
#include <assert.h>
#include <stdlib.h>

static int twice(const int *at) {
    return *at == 3 ? *at : 3;
}

int main(void) {
    int *block = malloc(2 * sizeof *block);
    int variable;
    int copy = variable;
    assert(twice(block) == 3);
    if (block[1] > 7)
        assert(block[1] > 6);
    if (copy == 5)
        assert(variable == 5);
    free(block);
    return 0;
}
