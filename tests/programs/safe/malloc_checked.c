// If the allocation fails, the program goes on, and goes wrong: by default that is a bound.
//@ verdict: bounded
//@ lazy: bounded  malloc never fails
#include <assert.h>
#include <stdlib.h>

static int failures;

int main(void) {
    int *p = malloc(sizeof *p);
    if (p == NULL)
        failures++;
    assert(failures == 0);
    free(p);
    return 0;
}
