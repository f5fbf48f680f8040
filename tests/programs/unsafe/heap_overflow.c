// One element too far on the heap.
#include <stdlib.h>

int main(void) {
    int *a = malloc(4 * sizeof *a);
    if (!a)
        return 0;
    for (int i = 0; i <= 4; i++)
        a[i] = i; //~ VIOLATION: out-of-bounds
    free(a);
    return 0;
}
