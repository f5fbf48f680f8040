// Random numbers, in C, for programs under check. Every function is weak, so that one of
// the program wins.
//
// Each number is an input: any that the function can give. So a seed makes no
// difference, and a sequence is not repeated when the same seed is set again.

#define LIBRARY __attribute__((weak))

// Models of the checker: an int that is not negative, and any.
int __VERIFIER_nondet_rand(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);

#define RANGE 2147483648.0

LIBRARY int rand(void) { return __VERIFIER_nondet_rand(); }
LIBRARY void srand(unsigned seed) {}

LIBRARY int rand_r(unsigned *state) {
  int number = __VERIFIER_nondet_rand();
  *state += (unsigned)number;
  return number;
}

LIBRARY long random(void) { return __VERIFIER_nondet_rand(); }
LIBRARY void srandom(unsigned seed) {}

LIBRARY double drand48(void) { return __VERIFIER_nondet_rand() / RANGE; }
LIBRARY long lrand48(void) { return __VERIFIER_nondet_rand(); }
LIBRARY long mrand48(void) { return __VERIFIER_nondet_int(); }
LIBRARY void srand48(long seed) {}

static void move_on(unsigned short state[3], int number) {
  for (int i = 0; i < 3; i++) state[i] += (unsigned short)number;
}

LIBRARY double erand48(unsigned short state[3]) {
  int number = __VERIFIER_nondet_rand();
  move_on(state, number);
  return number / RANGE;
}

LIBRARY long nrand48(unsigned short state[3]) {
  int number = __VERIFIER_nondet_rand();
  move_on(state, number);
  return number;
}

LIBRARY long jrand48(unsigned short state[3]) {
  int number = __VERIFIER_nondet_int();
  move_on(state, number);
  return number;
}

LIBRARY unsigned arc4random(void) { return __VERIFIER_nondet_uint(); }

LIBRARY unsigned arc4random_uniform(unsigned bound) {
  return bound == 0 ? 0 : __VERIFIER_nondet_uint() % bound;
}

// Bytes, a word at a time as far as that goes.
static void fill(unsigned char *to, unsigned long size) {
  for (; size >= sizeof(unsigned); size -= sizeof(unsigned), to += sizeof(unsigned)) {
    unsigned any = __VERIFIER_nondet_uint();
    __builtin_memcpy(to, &any, sizeof any);
  }
  for (; size > 0; size--) *to++ = (unsigned char)__VERIFIER_nondet_uint();
}

LIBRARY void arc4random_buf(void *to, unsigned long size) { fill(to, size); }

LIBRARY long getrandom(void *to, unsigned long size, unsigned flags) {
  fill(to, size);
  return (long)size;
}

#define EIO 5
#define MOST_ENTROPY 256

int *__errno_location(void);

LIBRARY int getentropy(void *to, unsigned long size) {
  if (size > MOST_ENTROPY) {
    *__errno_location() = EIO;
    return -1;
  }
  fill(to, size);
  return 0;
}

// std::random_device: its constructor, operator() and destructor
LIBRARY void
_ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void *device,
                                                                                    const void *name) {}
LIBRARY unsigned _ZNSt13random_device9_M_getvalEv(void *device) { return __VERIFIER_nondet_uint(); }
LIBRARY void _ZNSt13random_device7_M_finiEv(void *device) {}
