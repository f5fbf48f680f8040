// A request for over 1 GiB fails here; it need not.
//@ verdict: bounded
//@ lazy: bounded  large allocations
#include <assert.h>
#include <stdlib.h>

int main(void) {
    char *p = malloc(3ul << 30);
    assert(p == NULL);
    return 0;
}
