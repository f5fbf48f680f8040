// An input that must be large: the report shows the smallest.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    assert(x < 1000); //~ VIOLATION: assertion
    return 0;
}
