// A telling input: a negative number.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    assert(x >= 0); //~ VIOLATION: assertion
    return 0;
}
