// Output to std::cout, std::cerr and std::clog, and numbers and characters from std::cin, in C
// under the mangled names of the GNU C++ library, for C++ programs under check. Output is only
// shown in a trace; formatting (std::hex, std::setw) is not followed. Input is any, and may end
// anywhere. Weak, so that the program's own wins.

#define LIBRARY __attribute__((weak))
#define DATA __attribute__((weak))

// Of std::basic_ios<char>, the virtual base of all streams: what inline functions look at, and
// the size of the rest.
typedef struct {
  const void *table;
  long precision, width;
  int flags, exceptions, state;
  char rest[228];
} Base;

typedef struct {
  const char *table;
  Base base;
} Stream;

typedef struct {
  const char *table;
  long count;
  Base base;
} InputStream;

// Of a table of virtual functions, what stands before it: where the virtual base is.
typedef struct {
  long base, top;
  const void *type;
} Table;

static const Table of_output = {sizeof(char *), 0, 0};
static const Table of_input = {sizeof(char *) + sizeof(long), 0, 0};

enum { BAD = 1, END = 2, FAIL = 4, DECIMAL = 2, SKIP_SPACE = 0x1000 };
#define READY {.precision = 6, .flags = DECIMAL | SKIP_SPACE}

DATA Stream _ZSt4cout = {(const char *)(&of_output + 1), READY};
DATA Stream _ZSt4cerr = {(const char *)(&of_output + 1), READY};
DATA Stream _ZSt4clog = {(const char *)(&of_output + 1), READY};
DATA InputStream _ZSt3cin = {(const char *)(&of_input + 1), 0, READY};

// Models of the checker.
int printf(const char *format, ...);
void __heddle_unsupported(const char *what);
_Bool __VERIFIER_nondet_bool(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
long long __VERIFIER_nondet_longlong(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);

static int is_standard(const Stream *stream) {
  return stream == &_ZSt4cout || stream == &_ZSt4cerr || stream == &_ZSt4clog;
}

static Stream *standard(Stream *stream) {
  if (!is_standard(stream) && stream->table != (const char *)(&of_output + 1))
    __heddle_unsupported("output to a stream other than std::cout, std::cerr and std::clog");
  return stream;
}

// A stream of its own for output to a standard one.
LIBRARY void __heddle_output_stream(Stream *stream, const Stream *to) {
  if (!is_standard(to))
    __heddle_unsupported("output to a stream other than std::cout, std::cerr and std::clog");
  stream->table = (const char *)(&of_output + 1);
  stream->base = (Base)READY;
}

#define PRINT(...)                                                                                 \
  do {                                                                                             \
    standard(stream);                                                                              \
    printf(__VA_ARGS__);                                                                           \
    return stream;                                                                                 \
  } while (0)

// std::ios_base::Init::Init() and its destructor, std::ios_base::sync_with_stdio(bool)
LIBRARY void _ZNSt8ios_base4InitC1Ev(void *init) {}
LIBRARY void _ZNSt8ios_base4InitD1Ev(void *init) {}
LIBRARY _Bool _ZNSt8ios_base15sync_with_stdioEb(_Bool sync) { return 1; }

// std::ostream::operator<< for numbers
LIBRARY Stream *_ZNSolsEs(Stream *stream, short value) { PRINT("%d", value); }
LIBRARY Stream *_ZNSolsEt(Stream *stream, unsigned short value) { PRINT("%d", value); }
LIBRARY Stream *_ZNSolsEi(Stream *stream, int value) { PRINT("%d", value); }
LIBRARY Stream *_ZNSolsEj(Stream *stream, unsigned value) { PRINT("%u", value); }
LIBRARY Stream *_ZNSolsEl(Stream *stream, long value) { PRINT("%ld", value); }
LIBRARY Stream *_ZNSolsEm(Stream *stream, unsigned long value) { PRINT("%lu", value); }
LIBRARY Stream *_ZNSolsEx(Stream *stream, long long value) { PRINT("%lld", value); }
LIBRARY Stream *_ZNSolsEy(Stream *stream, unsigned long long value) { PRINT("%llu", value); }
LIBRARY Stream *_ZNSolsEb(Stream *stream, _Bool value) { PRINT("%d", value); }
LIBRARY Stream *_ZNSolsEf(Stream *stream, float value) { PRINT("%g", value); }
LIBRARY Stream *_ZNSolsEd(Stream *stream, double value) { PRINT("%g", value); }
LIBRARY Stream *_ZNSolsEPKv(Stream *stream, const void *value) { PRINT("%p", value); }

// operator<< for std::thread::id
LIBRARY Stream *
_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_NSt6thread2idE(Stream *stream,
                                                                      unsigned long thread) {
  PRINT("%lu", thread);
}

// operator<< for characters and texts
LIBRARY Stream *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c(Stream *stream, char value) {
  PRINT("%c", value);
}

LIBRARY Stream *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_a(Stream *stream,
                                                                      signed char value) {
  PRINT("%c", value);
}

LIBRARY Stream *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_h(Stream *stream,
                                                                      unsigned char value) {
  PRINT("%c", value);
}

LIBRARY Stream *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(Stream *stream,
                                                                        const char *text) {
  PRINT("%s", text);
}

typedef struct {
  const char *data;
  unsigned long size;
} String;

LIBRARY Stream *
_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE(
    Stream *stream, const String *text) {
  PRINT("%.*s", (int)text->size, text->data);
}

// std::ostream::put(char), write(char const*, long), flush()
LIBRARY Stream *_ZNSo3putEc(Stream *stream, char value) { PRINT("%c", value); }

LIBRARY Stream *_ZNSo5writeEPKcl(Stream *stream, const char *text, long size) {
  PRINT("%.*s", (int)size, text);
}

LIBRARY Stream *_ZNSo5flushEv(Stream *stream) { return standard(stream); }

// std::endl, std::flush, and operator<< for them
LIBRARY Stream *_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(Stream *stream) {
  PRINT("\n");
}

LIBRARY Stream *_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(Stream *stream) {
  return standard(stream);
}

LIBRARY Stream *_ZNSolsEPFRSoS_E(Stream *stream, Stream *(*manipulator)(Stream *)) {
  return manipulator(stream);
}

// Manipulators: std::hex and the like, std::setw, std::setprecision, std::setfill
LIBRARY Stream *_ZNSolsEPFRSt8ios_baseS0_E(Stream *stream, Base *(*manipulator)(Base *)) {
  manipulator(&standard(stream)->base);
  return stream;
}

LIBRARY Stream *_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw(Stream *stream,
                                                                                int width) {
  return standard(stream);
}

LIBRARY Stream *
_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision(Stream *stream, int digits) {
  return standard(stream);
}

LIBRARY Stream *_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_SetfillIS3_E(Stream *stream,
                                                                                        char fill) {
  return standard(stream);
}

// ---- States: good(), fail(), bad(), eof(), operator!, operator bool, rdstate(), clear(), setstate()

LIBRARY _Bool _ZNKSt9basic_iosIcSt11char_traitsIcEE4goodEv(const Base *base) { return base->state == 0; }
LIBRARY _Bool _ZNKSt9basic_iosIcSt11char_traitsIcEE3badEv(const Base *base) { return base->state & BAD; }
LIBRARY _Bool _ZNKSt9basic_iosIcSt11char_traitsIcEE3eofEv(const Base *base) {
  return (base->state & END) != 0;
}
LIBRARY _Bool _ZNKSt9basic_iosIcSt11char_traitsIcEE4failEv(const Base *base) {
  return (base->state & (BAD | FAIL)) != 0;
}
LIBRARY _Bool _ZNKSt9basic_iosIcSt11char_traitsIcEEntEv(const Base *base) {
  return (base->state & (BAD | FAIL)) != 0;
}
LIBRARY _Bool _ZNKSt9basic_iosIcSt11char_traitsIcEEcvbEv(const Base *base) {
  return (base->state & (BAD | FAIL)) == 0;
}
LIBRARY int _ZNKSt9basic_iosIcSt11char_traitsIcEE7rdstateEv(const Base *base) { return base->state; }

LIBRARY void _ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate(Base *base, int state) {
  if (state & base->exceptions) __heddle_unsupported("an exception of a stream");
  base->state = state;
}

LIBRARY void _ZNSt9basic_iosIcSt11char_traitsIcEE8setstateESt12_Ios_Iostate(Base *base, int state) {
  _ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate(base, base->state | state);
}

// ---- Input. What is typed is any number, none, or the end.

static int fail(InputStream *stream, int state) {
  _ZNSt9basic_iosIcSt11char_traitsIcEE8setstateESt12_Ios_Iostate(&stream->base, state | FAIL);
  return 0;
}

static int goes_on(InputStream *stream) {
  if (stream != &_ZSt3cin) __heddle_unsupported("input from a stream other than std::cin");
  if (stream->base.state != 0) return fail(stream, 0);
  return __VERIFIER_nondet_bool() || fail(stream, END);
}

// Where something else stands than a number, the number is 0.
static int has_number(InputStream *stream, void *to, unsigned long size) {
  if (!goes_on(stream)) return 0;
  if (__VERIFIER_nondet_bool()) return 1;
  for (char *byte = to; size > 0; size--) *byte++ = 0;
  return fail(stream, 0);
}

#define TAKE(ANY)                                                                                  \
  do {                                                                                             \
    if (has_number(stream, to, sizeof *to)) *to = ANY();                                           \
    return stream;                                                                                 \
  } while (0)

// std::istream::operator>> for numbers
LIBRARY InputStream *_ZNSirsERs(InputStream *stream, short *to) { TAKE(__VERIFIER_nondet_short); }
LIBRARY InputStream *_ZNSirsERt(InputStream *stream, unsigned short *to) { TAKE(__VERIFIER_nondet_ushort); }
LIBRARY InputStream *_ZNSirsERi(InputStream *stream, int *to) { TAKE(__VERIFIER_nondet_int); }
LIBRARY InputStream *_ZNSirsERj(InputStream *stream, unsigned *to) { TAKE(__VERIFIER_nondet_uint); }
LIBRARY InputStream *_ZNSirsERl(InputStream *stream, long *to) { TAKE(__VERIFIER_nondet_long); }
LIBRARY InputStream *_ZNSirsERm(InputStream *stream, unsigned long *to) { TAKE(__VERIFIER_nondet_ulong); }
LIBRARY InputStream *_ZNSirsERx(InputStream *stream, long long *to) { TAKE(__VERIFIER_nondet_longlong); }
LIBRARY InputStream *_ZNSirsERy(InputStream *stream, unsigned long long *to) { TAKE(__VERIFIER_nondet_ulonglong); }
LIBRARY InputStream *_ZNSirsERb(InputStream *stream, _Bool *to) { TAKE(__VERIFIER_nondet_bool); }
LIBRARY InputStream *_ZNSirsERf(InputStream *stream, float *to) { TAKE(__VERIFIER_nondet_float); }
LIBRARY InputStream *_ZNSirsERd(InputStream *stream, double *to) { TAKE(__VERIFIER_nondet_double); }

// operator>> for a character, which is no space, and std::istream::get()
LIBRARY InputStream *_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_(InputStream *stream,
                                                                                 char *to) {
  if (!goes_on(stream)) return stream;
  char any = (char)__VERIFIER_nondet_uchar();
  *to = any == ' ' || (any >= '\t' && any <= '\r') ? '!' : any;
  return stream;
}

LIBRARY int _ZNSi3getEv(InputStream *stream) {
  stream->count = goes_on(stream);
  return stream->count ? __VERIFIER_nondet_uchar() : -1;
}

// std::istream::ignore(long, int), after which the input may have come to its end
LIBRARY InputStream *_ZNSi6ignoreEli(InputStream *stream, long count, int last) {
  if (stream->base.state == 0 && count > 0 && __VERIFIER_nondet_bool())
    _ZNSt9basic_iosIcSt11char_traitsIcEE8setstateESt12_Ios_Iostate(&stream->base, END);
  return stream;
}
