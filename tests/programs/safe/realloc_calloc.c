// realloc keeps the contents, calloc clears.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *a = calloc(4, sizeof *a);
    if (!a)
        return 0;
    for (int i = 0; i < 4; i++)
        assert(a[i] == 0);
    a[3] = 9;
    int *b = realloc(a, 8 * sizeof *a);
    if (!b) {
        free(a);
        return 0;
    }
    b[7] = 1;
    assert(b[3] == 9);
    b = realloc(b, 2 * sizeof *b);
    if (!b)
        return 0;
    assert(b[1] == 0);
    free(b);
    return 0;
}
