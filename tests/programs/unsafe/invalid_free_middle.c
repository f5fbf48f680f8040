// free of a pointer that malloc never gave.
#include <stdlib.h>

int main(void) {
    char *p = malloc(8);
    if (!p)
        return 0;
    free(p + 1); //~ VIOLATION: invalid-free
    return 0;
}
