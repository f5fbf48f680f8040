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
    assert(random() >= 0);
    assert(lrand48() >= 0 && lrand48() < 2147483648L);
    assert(mrand48() >= -2147483648L && mrand48() < 2147483648L);
    assert(nrand48(state) >= 0);
    return 0;
}
