// Atomic operations on objects that are too large for an instruction (GCC's
// libatomic), in C, for programs under check. Weak, so that the program's own wins.

#include <stddef.h>

#define LIBRARY __attribute__((weak))

// clang keeps the plain names for itself.
LIBRARY void load(size_t, const void *, void *, int) __asm__("__atomic_load");
LIBRARY void store(size_t, void *, const void *, int) __asm__("__atomic_store");
LIBRARY void exchange(size_t, void *, const void *, void *, int) __asm__("__atomic_exchange");
LIBRARY _Bool compare(size_t, void *, void *, const void *, int, int) __asm__("__atomic_compare_exchange");

// Models of the checker: one step.
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static void copy(size_t size, char *to, const char *from) {
  for (size_t at = 0; at < size; at++) to[at] = from[at];
}

void load(size_t size, const void *object, void *result, int order) {
  __VERIFIER_atomic_begin();
  copy(size, result, object);
  __VERIFIER_atomic_end();
}

void store(size_t size, void *object, const void *value, int order) {
  __VERIFIER_atomic_begin();
  copy(size, object, value);
  __VERIFIER_atomic_end();
}

void exchange(size_t size, void *object, const void *value, void *result, int order) {
  __VERIFIER_atomic_begin();
  copy(size, result, object);
  copy(size, object, value);
  __VERIFIER_atomic_end();
}

_Bool compare(size_t size, void *object, void *expected, const void *value, int success,
              int failure) {
  const char *now = object, *wanted = expected;
  _Bool same = 1;
  __VERIFIER_atomic_begin();
  for (size_t at = 0; at < size; at++) same &= now[at] == wanted[at];
  if (same)
    copy(size, object, value);
  else
    copy(size, expected, object);
  __VERIFIER_atomic_end();
  return same;
}
