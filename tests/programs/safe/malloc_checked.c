// What happens when an allocation fails was not looked at.
//@ verdict: bounded
//@ lazy: bounded  malloc never fails
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
