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
INPUT(uchar, unsigned char)
INPUT(unsigned_char, unsigned char)
INPUT(u8, uint8_t)
INPUT(short, short)
INPUT(ushort, unsigned short)
INPUT(u16, uint16_t)
INPUT(int, int)
INPUT(uint, unsigned)
INPUT(unsigned, unsigned)
INPUT(unsigned_int, unsigned)
INPUT(u32, uint32_t)
INPUT(long, long)
INPUT(ulong, unsigned long)
INPUT(unsigned_long, unsigned long)
INPUT(size_t, size_t)
INPUT(longlong, long long)
INPUT(ulonglong, unsigned long long)
REAL(float, float)
REAL(double, double)
