// One input in four thousand million fails. Trying values does not find it.
//@ engines: lazy
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 0 && x < 40000)
        assert(x * x != 1522756);  //~ VIOLATION: assertion
    return 0;
}
