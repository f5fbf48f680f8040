// There are no variables in the environment, which is a bound.
//@ verdict: bounded
//@ lazy: bounded  empty environment
#include <assert.h>
#include <stdlib.h>

int main(void) {
    assert(getenv("HOME") == 0);
    return 0;
}
