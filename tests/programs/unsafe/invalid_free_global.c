// free of a global.
#include <stdlib.h>

static int cell;

int main(void) {
    int *p = &cell;
    free(p); //~ VIOLATION: invalid-free
    return cell;
}
