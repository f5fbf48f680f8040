// Inputs are sampled, so there is no proof: bounded, never safe.
//@ verdict: bounded
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    assert(x == x);
    return 0;
}
