// Executions that do not meet an assumption do not count. The input is only compared, so a few
// values stand for all.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 0);
    assert(x >= 1);
    return 0;
}
