// An unknown pointer may be none at all.
#include <stddef.h>

extern void *__VERIFIER_nondet_pointer(void);

int main(void) {
    int *p = __VERIFIER_nondet_pointer();
    if (p != NULL)
        return *p; //~ VIOLATION: out-of-bounds
    return 0;
}
