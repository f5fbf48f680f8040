// Inputs are sampled; one that matters need not be among the samples.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    assert(x * 2654435761u != 0x12345678u); //~ VIOLATION: assertion
    return 0;
}
