// Marks in the bits of an address that alignment keeps free, and marks that are none.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LOCKED ((int *)1)

int main(void) {
    int *p = calloc(4, sizeof *p);
    if (!p)
        exit(1);
    assert(((uintptr_t)p & 15) == 0);
    uintptr_t tagged = (uintptr_t)p | 1;
    assert((tagged & 1) == 1);
    int *q = (int *)(tagged & ~(uintptr_t)1);
    assert(q == p && q != LOCKED);
    for (int *end = p + 4; q < end; q++)
        assert(*q == 0);
    memmove(p, p + 1, 4);
    free(p);
    return 0;
}
