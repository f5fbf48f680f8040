// Random numbers are in their ranges.
//@ verdict: bounded
#include <assert.h>
#include <stdlib.h>

int main(void) {
    unsigned seed = 3;
    unsigned short state[3] = {1, 2, 3};
    int a = rand();
    assert(a >= 0 && a <= RAND_MAX);
    assert(rand_r(&seed) >= 0);
    long b = lrand48();
    assert(b >= 0 && b < 2147483648L);
    b = mrand48();
    assert(b >= -2147483648L && b < 2147483648L);
    assert(nrand48(state) >= 0);
    return 0;
}
