// What SV-COMP's programs may call that is made of other inputs. Weak, so that the program's
// own wins.

#include <stddef.h>

#define LIBRARY __attribute__((weak))

unsigned char __VERIFIER_nondet_uchar(void);

// Any bytes.
LIBRARY void __VERIFIER_nondet_memory(void *memory, size_t size) {
  for (unsigned char *byte = memory; size > 0; size--) *byte++ = __VERIFIER_nondet_uchar();
}

// What Dartagnan and GenMC are told about loops. Here loops are followed to their ends, and waiting
// ones are found.
LIBRARY void __VERIFIER_loop_bound(int turns) {}
LIBRARY void __VERIFIER_loop_begin(void) {}
LIBRARY void __VERIFIER_spin_start(void) {}
LIBRARY void __VERIFIER_spin_end(int ends) {}
