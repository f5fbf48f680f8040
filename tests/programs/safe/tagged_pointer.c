// A pointer through an integer and back, with a tag in its low bit.
#include <assert.h>
#include <stdint.h>

static int cell = 5;

int main(void) {
    uintptr_t word = (uintptr_t)&cell | 1;
    assert(word & 1);
    int *p = (int *)(word & ~(uintptr_t)1);
    assert(p == &cell);
    *p = 6;
    assert(cell == 6);
    return 0;
}
