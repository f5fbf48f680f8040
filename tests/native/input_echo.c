// Shows what it reads.
#include <stdio.h>

extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern double __VERIFIER_nondet_double(void);

int main(void) {
  int first = __VERIFIER_nondet_int();
  long second = __VERIFIER_nondet_long();
  unsigned third = __VERIFIER_nondet_uchar();
  printf("%d %ld %u %.2f\n", first, second, third, __VERIFIER_nondet_double());
}
