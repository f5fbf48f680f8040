// The old pointer is dead after realloc.
#include <stdlib.h>

int main(void) {
    int *a = malloc(sizeof *a);
    if (!a)
        return 0;
    *a = 1;
    int *b = realloc(a, 2 * sizeof *b);
    if (!b)
        return 0;
    b[1] = *a; //~ VIOLATION: use-after-free
    free(b);
    return 0;
}
