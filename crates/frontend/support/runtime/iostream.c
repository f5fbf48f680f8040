// Output to std::cout, std::cerr and std::clog, in C under the mangled names of the
// GNU C++ library, for C++ programs under check. It is only shown in a trace;
// formatting (std::hex, std::setw) is not followed. Weak, so that the program's own
// wins.

#define LIBRARY __attribute__((weak))

typedef struct Stream Stream;

// Only their addresses matter. Whoever touches their bytes is stopped.
extern char _ZSt4cout[], _ZSt4cerr[], _ZSt4clog[];

// Models of the checker.
int printf(const char *format, ...);
void __heddle_unsupported(const char *what);

static Stream *standard(Stream *stream) {
  char *address = (char *)stream;
  if (address != _ZSt4cout && address != _ZSt4cerr && address != _ZSt4clog)
    __heddle_unsupported("output to a stream other than std::cout, std::cerr and std::clog");
  return stream;
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
