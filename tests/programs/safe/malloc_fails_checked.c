// All allocations may fail, and all are checked.
//@ args: --malloc-fails
#include <errno.h>
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    if (!p) {
        assert(errno == ENOMEM);
        return 1;
    }
    *p = 1;
    assert(*p == 1);
    free(p);
    return 0;
}
