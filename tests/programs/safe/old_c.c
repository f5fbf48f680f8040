// C as it was written once: no declarations, no types, numbers for pointers.
//@ cflags: -std=gnu89
#include <assert.h>

static counter;

add(left, right)
    int left;
{
    counter = counter + 1;
    return left + right;
}

main() {
    char *text = malloc(4);
    int *number = 0x10;
    long bits = text;
    if (!text) return 0;
    assert(add(1, 2) == 3 && counter == 1);
    assert(later(5) == 6 && number && bits);
    free(text);
    return 0;
}

later(x) { return x + 1; }
