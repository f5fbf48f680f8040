// Formats of printf and its relatives, in C, for programs under check. Every function is
// weak, so that one of the program wins.
//
// The format, texts and buffers are read and written by ordinary accesses, byte by byte.
// How a number looks takes no memory: models of the checker say that. A null pointer
// for `%s` gives "(null)", as the GNU C library has it.

#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define LIBRARY __attribute__((weak))

// Models of the checker: `spec` is made by `spec_of`, `bits` is an integer or a double.
void __heddle_put(int c);
int __heddle_put_number(unsigned long long spec, unsigned long long bits);
void __heddle_put_end(int stream);
int __heddle_number_length(unsigned long long spec, unsigned long long bits);
int __heddle_number_char(unsigned long long spec, unsigned long long bits, int index);
void __heddle_unsupported(const char *what);
void *malloc(size_t size);
void *realloc(void *block, size_t size);
void free(void *block);

// Where text goes: to people, into a buffer with room for `room` characters, or into a
// block that grows.
enum { PEOPLE, BUFFER, BLOCK };

typedef struct {
  int kind;
  char *to;
  size_t room;
  size_t total;
} Sink;

// A `va_list` may be an array, which functions can't hand on by its address.
typedef struct {
  va_list list;
} Arguments;

static void begin(Sink *sink, int kind, char *to, size_t room) {
  sink->kind = kind;
  sink->to = to;
  sink->room = room;
  sink->total = 0;
}

static void put_more(Sink *sink, char c) {
  if (sink->kind == BLOCK) {
    char *block = realloc(sink->to, sink->room * 2 + 16);
    if (!block) {
      free(sink->to);
      sink->kind = BUFFER;
      sink->to = NULL;
      sink->room = 0;
    } else {
      sink->to = block;
      sink->room = sink->room * 2 + 16;
      sink->to[sink->total] = c;
    }
  }
}

static void put(Sink *sink, char c) {
  if (sink->kind == PEOPLE) __heddle_put(c);
  else if (sink->total < sink->room) sink->to[sink->total] = c;
  else put_more(sink, c);
  sink->total++;
}

enum { LEFT = 1, ZERO = 2, PLUS = 4, SPACE = 8, ALTERNATE = 16 };
enum { NONE, CHAR, SHORT, LONG, LONG_LONG, INTMAX, SIZE, DIFFERENCE, LONG_DOUBLE };

typedef struct {
  unsigned flags;
  int width;
  // Negative: none is given.
  int precision;
  int length;
  char conversion;
} Directive;

// More than people print, and more would not fit into the numbers that models get.
#define MOST 0xfffff

static unsigned long long spec_of(const Directive *d) {
  return (unsigned char)d->conversion | (unsigned long long)d->flags << 8 |
         (unsigned long long)d->width << 16 | (unsigned long long)(d->precision + 1) << 40;
}

static void put_number(Sink *sink, const Directive *d, unsigned long long bits) {
  unsigned long long spec = spec_of(d);
  if (sink->kind == PEOPLE) {
    sink->total += (size_t)__heddle_put_number(spec, bits);
    return;
  }
  int length = __heddle_number_length(spec, bits);
  for (int i = 0; i < length; i++) put(sink, (char)__heddle_number_char(spec, bits, i));
}

static void pad(Sink *sink, size_t length, const Directive *d) {
  for (size_t i = length; i < (size_t)d->width; i++) put(sink, ' ');
}

static void put_text(Sink *sink, const Directive *d, const char *text) {
  size_t most = d->precision < 0 ? SIZE_MAX : (size_t)d->precision, length = 0;
  if (!text) text = most < 6 ? "" : "(null)";
  if (d->width > 0 && !(d->flags & LEFT)) {
    while (length < most && text[length]) length++;
    pad(sink, length, d);
    for (size_t i = 0; i < length; i++) put(sink, text[i]);
    return;
  }
  for (; length < most; length++) {
    char c = text[length];
    if (!c) break;
    put(sink, c);
  }
  if (d->flags & LEFT) pad(sink, length, d);
}

static long long signed_argument(Arguments *from, int length) {
  switch (length) {
  case CHAR: return (signed char)va_arg(from->list, int);
  case SHORT: return (short)va_arg(from->list, int);
  case LONG: return va_arg(from->list, long);
  case LONG_LONG: return va_arg(from->list, long long);
  case INTMAX: return va_arg(from->list, intmax_t);
  case SIZE:
  case DIFFERENCE: return va_arg(from->list, ptrdiff_t);
  default: return va_arg(from->list, int);
  }
}

static unsigned long long unsigned_argument(Arguments *from, int length) {
  switch (length) {
  case CHAR: return (unsigned char)va_arg(from->list, unsigned);
  case SHORT: return (unsigned short)va_arg(from->list, unsigned);
  case LONG: return va_arg(from->list, unsigned long);
  case LONG_LONG: return va_arg(from->list, unsigned long long);
  case INTMAX: return va_arg(from->list, uintmax_t);
  case SIZE:
  case DIFFERENCE: return va_arg(from->list, size_t);
  default: return va_arg(from->list, unsigned);
  }
}

static void store_count(Arguments *from, int length, size_t count) {
  void *to = va_arg(from->list, void *);
  switch (length) {
  case CHAR: *(signed char *)to = (signed char)count; break;
  case SHORT: *(short *)to = (short)count; break;
  case LONG: *(long *)to = (long)count; break;
  case LONG_LONG: *(long long *)to = (long long)count; break;
  case INTMAX: *(intmax_t *)to = (intmax_t)count; break;
  case SIZE:
  case DIFFERENCE: *(ptrdiff_t *)to = (ptrdiff_t)count; break;
  default: *(int *)to = (int)count;
  }
}

static void convert(Sink *sink, const Directive *d, Arguments *from) {
  switch (d->conversion) {
  case 'd':
  case 'i': return put_number(sink, d, (unsigned long long)signed_argument(from, d->length));
  case 'u':
  case 'x':
  case 'X':
  case 'o':
  case 'b':
  case 'B': return put_number(sink, d, unsigned_argument(from, d->length));
  case 'p': return put_number(sink, d, (uintptr_t)va_arg(from->list, void *));
  case 'a':
  case 'A':
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G': {
    if (d->length == LONG_DOUBLE) __heddle_unsupported("printf of long double");
    union {
      double number;
      unsigned long long bits;
    } value = {va_arg(from->list, double)};
    return put_number(sink, d, value.bits);
  }
  case 'c': {
    if (d->length == LONG) __heddle_unsupported("printf of wide characters");
    char c = (char)va_arg(from->list, int);
    if (!(d->flags & LEFT)) pad(sink, 1, d);
    put(sink, c);
    if (d->flags & LEFT) pad(sink, 1, d);
    return;
  }
  case 's':
    if (d->length == LONG) __heddle_unsupported("printf of wide characters");
    return put_text(sink, d, va_arg(from->list, const char *));
  case 'n': return store_count(from, d->length, sink->total);
  case '%': return put(sink, '%');
  default: __heddle_unsupported("a printf conversion that the C standard does not know");
  }
}

// A number of the format. `*c` is the first character and becomes the one behind it.
static const char *read_number(const char *format, char *c, int *number) {
  *number = 0;
  for (; *c >= '0' && *c <= '9'; *c = *format++) {
    if (*number <= MOST) *number = *number * 10 + (*c - '0');
  }
  return format;
}

static const char *read_flags(const char *format, char *c, unsigned *flags) {
  for (*flags = 0;; *c = *format++) {
    switch (*c) {
    case '-': *flags |= LEFT; break;
    case '0': *flags |= ZERO; break;
    case '+': *flags |= PLUS; break;
    case ' ': *flags |= SPACE; break;
    case '#': *flags |= ALTERNATE; break;
    // In the C locale nothing is grouped.
    case '\'': break;
    default: return format;
    }
  }
}

static const char *read_length(const char *format, char *c, int *length) {
  *length = NONE;
  switch (*c) {
  case 'h': *length = SHORT; break;
  case 'l': *length = LONG; break;
  case 'q': *length = LONG_LONG; break;
  case 'j': *length = INTMAX; break;
  case 'z': *length = SIZE; break;
  case 't': *length = DIFFERENCE; break;
  case 'L': *length = LONG_DOUBLE; break;
  default: return format;
  }
  *c = *format++;
  if (*length == SHORT && *c == 'h') *length = CHAR;
  else if (*length == LONG && *c == 'l') *length = LONG_LONG;
  else return format;
  *c = *format++;
  return format;
}

static const char *read_directive(const char *format, Directive *d, Arguments *from) {
  char c = *format++;
  format = read_flags(format, &c, &d->flags);
  if (c == '*') {
    d->width = va_arg(from->list, int);
    if (d->width < 0) {
      d->flags |= LEFT;
      d->width = d->width < -MOST ? MOST + 1 : -d->width;
    }
    c = *format++;
  } else {
    format = read_number(format, &c, &d->width);
    if (c == '$') __heddle_unsupported("printf with arguments by position");
  }
  d->precision = -1;
  if (c == '.') {
    c = *format++;
    if (c == '*') {
      d->precision = va_arg(from->list, int);
      if (d->precision < 0) d->precision = -1;
      c = *format++;
    } else {
      format = read_number(format, &c, &d->precision);
    }
  }
  format = read_length(format, &c, &d->length);
  d->conversion = c;
  int prints_number = c != 's' && c != 'c';
  if (d->width > MOST || (d->precision > MOST && prints_number))
    __heddle_unsupported("printf of more than a million characters at once");
  return format;
}

static void format_to(Sink *sink, const char *format, va_list list) {
  Arguments from;
  va_copy(from.list, list);
  for (char c; (c = *format++);) {
    if (c != '%') {
      put(sink, c);
      continue;
    }
    Directive directive;
    format = read_directive(format, &directive, &from);
    convert(sink, &directive, &from);
  }
  va_end(from.list);
}

static int count_of(const Sink *sink) { return sink->total > INT_MAX ? -1 : (int)sink->total; }

// Shows a formatted text to people.
LIBRARY int __heddle_print(int stream, const char *format, va_list list) {
  Sink sink;
  begin(&sink, PEOPLE, NULL, 0);
  format_to(&sink, format, list);
  __heddle_put_end(stream);
  return count_of(&sink);
}

LIBRARY int vsprintf(char *to, const char *format, va_list list) {
  Sink sink;
  begin(&sink, BUFFER, to, SIZE_MAX);
  format_to(&sink, format, list);
  to[sink.total] = 0;
  return count_of(&sink);
}

LIBRARY int vsnprintf(char *to, size_t size, const char *format, va_list list) {
  Sink sink;
  begin(&sink, BUFFER, to, size ? size - 1 : 0);
  format_to(&sink, format, list);
  if (size) to[sink.total < sink.room ? sink.total : sink.room] = 0;
  return count_of(&sink);
}

LIBRARY int vasprintf(char **to, const char *format, va_list list) {
  Sink sink;
  begin(&sink, BLOCK, NULL, 0);
  format_to(&sink, format, list);
  put(&sink, 0);
  char *block = sink.kind == BLOCK ? realloc(sink.to, sink.total) : NULL;
  if (!block) return -1;
  *to = block;
  sink.total--;
  return count_of(&sink);
}
