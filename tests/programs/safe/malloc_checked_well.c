// If the allocation fails, the program goes on without: it was looked at, so that is no bound.
//@ engines: lazy
//@ args: --unwind 3 --rounds 3
#include <assert.h>
#include <stdlib.h>

static int failures;

int main(void) {
    int *p = malloc(sizeof *p);
    if (p == NULL) {
        failures++;
        return failures;
    }
    *p = 1;
    assert(*p == 1 && failures == 0);
    free(p);
    return 0;
}
