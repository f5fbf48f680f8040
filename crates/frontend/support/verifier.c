// What SV-COMP's programs may call that is made of other inputs. Weak, so that the program's
// own wins.

#include <stddef.h>

#define LIBRARY __attribute__((weak))

unsigned char __VERIFIER_nondet_uchar(void);

// Any bytes.
LIBRARY void __VERIFIER_nondet_memory(void *memory, size_t size) {
  for (unsigned char *byte = memory; size > 0; size--) *byte++ = __VERIFIER_nondet_uchar();
}
