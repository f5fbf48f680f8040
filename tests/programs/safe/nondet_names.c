// Inputs under the names that benchmarks have for them are as wide as their types.
//@ verdict: bounded
#include <assert.h>
#include <stddef.h>

extern signed char __VERIFIER_nondet_S8(void);
extern unsigned char __VERIFIER_nondet_U8(void);
extern unsigned short __VERIFIER_nondet_U16(void);
extern unsigned __VERIFIER_nondet_u_int(void);
extern unsigned long __VERIFIER_nondet_sector_t(void);
extern long long __VERIFIER_nondet_loff_t(void);
extern long __VERIFIER_nondet_ssize_t(void);
extern char *__VERIFIER_nondet_pchar(void);

int main(void) {
    int small = __VERIFIER_nondet_S8();
    assert(small >= -128 && small <= 127);
    assert(__VERIFIER_nondet_U8() <= 255);
    assert(__VERIFIER_nondet_U16() <= 65535);
    unsigned number = __VERIFIER_nondet_u_int();
    assert(number / 2 <= 2147483647);
    unsigned long sector = __VERIFIER_nondet_sector_t();
    long long offset = __VERIFIER_nondet_loff_t();
    long size = __VERIFIER_nondet_ssize_t();
    assert((sector | 1) != 0 && (offset | 1) != 0 && (size | 1) != 0);
    char *text = __VERIFIER_nondet_pchar();
    assert(text == NULL || text != NULL);
    return 0;
}
