// Inputs (__VERIFIER_nondet_…). A replay has those of the schedule. Otherwise they come
// from HEDDLE_INPUT: numbers, which calls get in the order of time, whichever thread
// they come from; or "random:SEED".

static pthread_mutex_t input_guard = PTHREAD_MUTEX_INITIALIZER;
// What is left of HEDDLE_INPUT, and the state of random inputs.
static const char *input_rest;
static uint64_t input_random;
static bool input_is_random;

static void open_input(void) {
  if (input_rest != NULL) return;
  input_rest = getenv("HEDDLE_INPUT");
  if (input_rest == NULL) input_rest = "";
  if (strncmp(input_rest, "random:", 7) != 0) return;
  input_is_random = true;
  input_random = strtoull(input_rest + 7, NULL, 0);
}

// Test mode: any inputs will do, unless some are given.
static void draw_inputs(unsigned seed) {
  if (getenv("HEDDLE_INPUT") != NULL) return;
  input_rest = "";
  input_is_random = true;
  input_random = seed;
}

static uint64_t draw(void) {
  input_random = input_random * 6364136223846793005ull + 1442695040888963407ull;
  return input_random ^ input_random >> 31;
}

// Skips what stands between numbers. Dies if there is none left.
static void find_number(void) {
  input_rest += strspn(input_rest, " ,\t\n");
  if (*input_rest == 0)
    die(EXIT_LEFT, "the program reads an input (__VERIFIER_nondet_…): set HEDDLE_INPUT to "
                   "numbers, one for each, or to random:SEED");
}

static void check_number(const char *end) {
  if (end == input_rest || (*end != 0 && strchr(" ,\t\n", *end) == NULL))
    die(EXIT_LEFT, "HEDDLE_INPUT: '%s' is not a number", input_rest);
  input_rest = end;
}

static uint64_t whole_input(void) {
  if (input_is_random) {
    // Small numbers take more ways than large ones do.
    uint64_t bits = draw();
    return draw() >> 63 ? bits : bits >> 60;
  }
  find_number();
  char *end;
  uint64_t value = *input_rest == '-' ? (uint64_t)strtoll(input_rest, &end, 0)
                                      : strtoull(input_rest, &end, 0);
  check_number(end);
  return value;
}

static double real_input(void) {
  if (input_is_random) return (double)(int64_t)draw() / 4294967296.0;
  find_number();
  char *end;
  double value = strtod(input_rest, &end);
  check_number(end);
  return value;
}

// The next input of a replay, as bits.
static uint64_t replayed_input(void) {
  const Schedule *schedule = atomic_load(&current);
  if (self.slot != NO_SLOT && schedule->header != NULL) {
    const ThreadEntry *thread = &schedule->threads[self.slot];
    if (self.inputs < thread->inputs)
      return schedule->inputs[thread->first_input + self.inputs++];
  }
  die(EXIT_LEFT, "the program reads an input (__VERIFIER_nondet_…) that the schedule does not have");
}

// What an input function does.
#define TAKE(type, read)                                                                           \
  {                                                                                                \
    type value;                                                                                    \
    if (replays) {                                                                                 \
      uint64_t bits = replayed_input();                                                            \
      memcpy(&value, &bits, sizeof value);                                                         \
      return value;                                                                                \
    }                                                                                              \
    pthread_mutex_lock(&input_guard);                                                              \
    open_input();                                                                                  \
    value = (type)read();                                                                          \
    pthread_mutex_unlock(&input_guard);                                                            \
    return value;                                                                                  \
  }
#define INPUT(name, type) type heddle_w___VERIFIER_nondet_##name(void) TAKE(type, whole_input)
#define REAL(name, type) type heddle_w___VERIFIER_nondet_##name(void) TAKE(type, real_input)

INPUT(bool, _Bool)
INPUT(_Bool, _Bool)
INPUT(char, char)
INPUT(schar, signed char)
INPUT(S8, signed char)
INPUT(s8, signed char)
INPUT(int8_t, signed char)
INPUT(uchar, unsigned char)
INPUT(unsigned_char, unsigned char)
INPUT(U8, unsigned char)
INPUT(u8, unsigned char)
INPUT(uint8_t, unsigned char)
INPUT(short, short)
INPUT(S16, short)
INPUT(s16, short)
INPUT(int16_t, short)
INPUT(ushort, unsigned short)
INPUT(unsigned_short, unsigned short)
INPUT(U16, unsigned short)
INPUT(u16, unsigned short)
INPUT(uint16_t, unsigned short)
INPUT(int, int)
INPUT(S32, int)
INPUT(s32, int)
INPUT(int32_t, int)
INPUT(uint, unsigned)
INPUT(unsigned, unsigned)
INPUT(unsigned_int, unsigned)
INPUT(u_int, unsigned)
INPUT(U32, unsigned)
INPUT(u32, unsigned)
INPUT(uint32_t, unsigned)
INPUT(long, long)
INPUT(ssize_t, long)
INPUT(ptrdiff_t, long)
INPUT(intptr_t, long)
INPUT(off_t, long)
INPUT(ulong, unsigned long)
INPUT(unsigned_long, unsigned long)
INPUT(size_t, unsigned long)
INPUT(sector_t, unsigned long)
INPUT(pthread_t, unsigned long)
INPUT(uintptr_t, unsigned long)
INPUT(longlong, long long)
INPUT(long_long, long long)
INPUT(loff_t, long long)
INPUT(S64, long long)
INPUT(s64, long long)
INPUT(int64_t, long long)
INPUT(ulonglong, unsigned long long)
INPUT(unsigned_long_long, unsigned long long)
INPUT(U64, unsigned long long)
INPUT(u64, unsigned long long)
INPUT(uint64_t, unsigned long long)

// From 0 to RAND_MAX.
static int random_number(void) { return (int)(whole_input() & 0x7fffffff); }
int heddle_w___VERIFIER_nondet_rand(void) TAKE(int, random_number)

// Null, or an address of nothing, in the upper half of the address space.
#define NOWHERE (((uintptr_t)1 << (8 * sizeof(void *) - 1)) | 64)
static uintptr_t null_or_nowhere(void) { return whole_input() ? NOWHERE : 0; }
#define POINTER(name)                                                                              \
  uintptr_t heddle_w___VERIFIER_nondet_##name(void) {                                              \
    if (replays) return replayed_input() ? NOWHERE : 0;                                            \
    TAKE(uintptr_t, null_or_nowhere)                                                               \
  }
POINTER(pointer)
POINTER(ptr)
POINTER(pchar)
POINTER(charp)
POINTER(const_char_pointer)

REAL(float, float)
REAL(double, double)
