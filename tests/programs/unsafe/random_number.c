// rand gives any number, whatever the seed.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    srand(1);
    int a = rand();
    assert(a % 7 != 1); //~ VIOLATION: assertion
    return 0;
}
