// Atomic accesses of 16 bytes, in C, for programs under check: each is what
// `lock cmpxchg16b` makes it, one step before which the thread's stores are in memory.
// Weak, so that the program's own wins.

#define LIBRARY __attribute__((weak))

#ifdef __SIZEOF_INT128__

typedef unsigned long long word;
typedef unsigned __int128 wide;
typedef __int128 signed_wide;

// Models of the checker: one step.
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

// By halves, which are atomic accesses for whoever looks for races. A relaxed access
// orders nothing.
static wide get(const word *half, int relaxed) {
  word low = relaxed ? __atomic_load_n(half, __ATOMIC_RELAXED)
                     : __atomic_load_n(half, __ATOMIC_ACQUIRE);
  word high = relaxed ? __atomic_load_n(half + 1, __ATOMIC_RELAXED)
                      : __atomic_load_n(half + 1, __ATOMIC_ACQUIRE);
  return (wide)high << 64 | low;
}

static void put(word *half, wide value, int relaxed) {
  word low = (word)value, high = (word)(value >> 64);
  if (relaxed) {
    __atomic_store_n(half, low, __ATOMIC_RELAXED);
    __atomic_store_n(half + 1, high, __ATOMIC_RELAXED);
  } else {
    __atomic_store_n(half, low, __ATOMIC_RELEASE);
    __atomic_store_n(half + 1, high, __ATOMIC_RELEASE);
  }
}

LIBRARY wide __heddle_load16(const word *object, int relaxed) {
  __VERIFIER_atomic_begin();
  wide value = get(object, relaxed);
  __VERIFIER_atomic_end();
  return value;
}

LIBRARY void __heddle_store16(word *object, wide value, int relaxed) {
  __VERIFIER_atomic_begin();
  put(object, value, relaxed);
  __VERIFIER_atomic_end();
}

// Gives the value before.
LIBRARY wide __heddle_compare16(word *object, wide expected, wide value, int relaxed) {
  __VERIFIER_atomic_begin();
  wide before = get(object, relaxed);
  if (before == expected) put(object, value, relaxed);
  __VERIFIER_atomic_end();
  return before;
}

// In the order of the operations of atomic instructions.
enum operation { EXCHANGE, ADD, SUB, AND, NAND, OR, XOR, MAX, MIN, UMAX, UMIN };

static wide updated(enum operation operation, wide old, wide by) {
  switch (operation) {
  case EXCHANGE: return by;
  case ADD: return old + by;
  case SUB: return old - by;
  case AND: return old & by;
  case NAND: return ~(old & by);
  case OR: return old | by;
  case XOR: return old ^ by;
  case MAX: return (signed_wide)old > (signed_wide)by ? old : by;
  case MIN: return (signed_wide)old < (signed_wide)by ? old : by;
  case UMAX: return old > by ? old : by;
  case UMIN: return old < by ? old : by;
  }
  return old;
}

// Gives the value before.
LIBRARY wide __heddle_update16(word *object, wide by, int operation, int relaxed) {
  __VERIFIER_atomic_begin();
  wide before = get(object, relaxed);
  put(object, updated(operation, before, by), relaxed);
  __VERIFIER_atomic_end();
  return before;
}

#endif
