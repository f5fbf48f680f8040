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
// Formats are interpreted millions of times: what is part of one function can be kept in
// registers, and where text goes is known in each of the functions that has it.
#define PART static inline __attribute__((always_inline))

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
  char *to;
  size_t room;
  size_t total;
} Sink;

// A `va_list` may be an array, which functions can't hand on by its address.
typedef struct {
  va_list list;
} Arguments;

PART void begin(Sink *sink, char *to, size_t room) {
  sink->to = to;
  sink->room = room;
  sink->total = 0;
}

// Without memory the text is only counted on.
static int grow(Sink *sink) {
  size_t room = sink->room * 2 + 16;
  char *block = sink->room && !sink->to ? NULL : realloc(sink->to, room);
  if (!block) free(sink->to);
  sink->to = block;
  sink->room = room;
  return block != NULL;
}

PART void put(int kind, Sink *sink, char c) {
  if (kind == PEOPLE) __heddle_put(c);
  else if (sink->total < sink->room || (kind == BLOCK && grow(sink)))
    if (kind == BUFFER || sink->to) sink->to[sink->total] = c;
  sink->total++;
}

enum { LEFT = 1, ZERO = 2, PLUS = 4, SPACE = 8, ALTERNATE = 16 };
enum { NONE, CHAR, SHORT, LONG, LONG_LONG, INTMAX, SIZE, DIFFERENCE, LONG_DOUBLE };

// More than people print, and more would not fit into the numbers that models get.
#define MOST 0xfffff

// A precision below zero is none.
PART unsigned long long spec_of(unsigned flags, int width, int precision, char conversion) {
  return (unsigned char)conversion | (unsigned long long)flags << 8 |
         (unsigned long long)width << 16 | (unsigned long long)(precision + 1) << 40;
}

PART void put_number(int kind, Sink *sink, unsigned long long spec, unsigned long long bits) {
  if (kind == PEOPLE) {
    sink->total += (size_t)__heddle_put_number(spec, bits);
    return;
  }
  int length = __heddle_number_length(spec, bits);
  for (int i = 0; i < length; i++) put(kind, sink, (char)__heddle_number_char(spec, bits, i));
}

PART void pad(int kind, Sink *sink, size_t length, int width) {
  for (size_t i = length; i < (size_t)width; i++) put(kind, sink, ' ');
}

PART void put_text(int kind, Sink *sink, const char *text, unsigned flags, int width,
                   int precision) {
  size_t most = precision < 0 ? SIZE_MAX : (size_t)precision, length = 0;
  if (!text) text = most < 6 ? "" : "(null)";
  if (width > 0 && !(flags & LEFT)) {
    while (length < most && text[length]) length++;
    pad(kind, sink, length, width);
    for (size_t i = 0; i < length; i++) put(kind, sink, text[i]);
    return;
  }
  for (; length < most; length++) {
    char c = text[length];
    if (!c) break;
    put(kind, sink, c);
  }
  pad(kind, sink, length, width);
}

// To people, for whoever knows the directive without looking at a format.
LIBRARY int __heddle_put_string(const char *text, unsigned flags, int width, int precision) {
  Sink sink;
  begin(&sink, NULL, 0);
  put_text(PEOPLE, &sink, text, flags, width, precision);
  return (int)sink.total;
}

PART void put_any_text(int kind, Sink *sink, const char *text, unsigned flags, int width,
                       int precision) {
  if (kind == PEOPLE)
    sink->total += (size_t)__heddle_put_string(text, flags, width, precision);
  else put_text(kind, sink, text, flags, width, precision);
}

PART void put_char(int kind, Sink *sink, char c, unsigned flags, int width) {
  if (!(flags & LEFT)) pad(kind, sink, 1, width);
  put(kind, sink, c);
  if (flags & LEFT) pad(kind, sink, 1, width);
}

PART long long signed_argument(Arguments *from, int length) {
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

PART unsigned long long unsigned_argument(Arguments *from, int length) {
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

PART void store_count(Arguments *from, int length, size_t count) {
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

PART unsigned long long real_argument(Arguments *from, int length) {
  if (length == LONG_DOUBLE) __heddle_unsupported("printf of long double");
  union {
    double number;
    unsigned long long bits;
  } value = {va_arg(from->list, double)};
  return value.bits;
}

PART void convert(int kind, Sink *sink, Arguments *from, unsigned flags, int width, int precision,
                  int length, char conversion) {
  unsigned long long bits;
  switch (conversion) {
  case 'd':
  case 'i': bits = (unsigned long long)signed_argument(from, length); break;
  case 'u':
  case 'x':
  case 'X':
  case 'o':
  case 'b':
  case 'B': bits = unsigned_argument(from, length); break;
  case 'p': bits = (uintptr_t)va_arg(from->list, void *); break;
  case 'a':
  case 'A':
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G': bits = real_argument(from, length); break;
  case 'c':
    if (length == LONG) __heddle_unsupported("printf of wide characters");
    return put_char(kind, sink, (char)va_arg(from->list, int), flags, width);
  case 's':
    if (length == LONG) __heddle_unsupported("printf of wide characters");
    return put_any_text(kind, sink, va_arg(from->list, const char *), flags, width, precision);
  case 'n': return store_count(from, length, sink->total);
  case '%': return put(kind, sink, '%');
  default: __heddle_unsupported("a printf conversion that the C standard does not know"); return;
  }
  if (precision > MOST) __heddle_unsupported("printf of more than a million characters at once");
  put_number(kind, sink, spec_of(flags, width, precision, conversion), bits);
}

// A number of the format. `*c` is the first character and becomes the one behind it.
PART const char *read_number(const char *format, char *c, int *number) {
  *number = 0;
  for (; *c >= '0' && *c <= '9'; *c = *format++) {
    if (*number <= MOST) *number = *number * 10 + (*c - '0');
  }
  return format;
}

PART const char *read_flags(const char *format, char *c, unsigned *flags) {
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

PART const char *read_length(const char *format, char *c, int *length) {
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

PART const char *read_width(const char *format, char *c, Arguments *from, unsigned *flags,
                            int *width) {
  if (*c == '*') {
    *width = va_arg(from->list, int);
    if (*width < 0) {
      *flags |= LEFT;
      *width = *width < -MOST ? MOST + 1 : -*width;
    }
    *c = *format++;
  } else {
    format = read_number(format, c, width);
    if (*c == '$') __heddle_unsupported("printf with arguments by position");
  }
  if (*width > MOST) __heddle_unsupported("printf of more than a million characters at once");
  return format;
}

PART const char *read_precision(const char *format, char *c, Arguments *from, int *precision) {
  *precision = -1;
  if (*c != '.') return format;
  *c = *format++;
  if (*c != '*') return read_number(format, c, precision);
  *precision = va_arg(from->list, int);
  if (*precision < 0) *precision = -1;
  *c = *format++;
  return format;
}

PART void format_to(int kind, Sink *sink, const char *format, va_list list) {
  Arguments from;
  va_copy(from.list, list);
  for (;;) {
    char c = *format++;
    if (!c) break;
    if (c != '%') {
      put(kind, sink, c);
      continue;
    }
    unsigned flags;
    int width, precision, length;
    c = *format++;
    format = read_flags(format, &c, &flags);
    format = read_width(format, &c, &from, &flags, &width);
    format = read_precision(format, &c, &from, &precision);
    format = read_length(format, &c, &length);
    convert(kind, sink, &from, flags, width, precision, length, c);
  }
  va_end(from.list);
}

PART int count_of(const Sink *sink) { return sink->total > INT_MAX ? -1 : (int)sink->total; }

// Shows a formatted text to people.
LIBRARY int __heddle_print(int stream, const char *format, va_list list) {
  Sink sink;
  begin(&sink, NULL, 0);
  format_to(PEOPLE, &sink, format, list);
  __heddle_put_end(stream);
  return count_of(&sink);
}

LIBRARY int vsprintf(char *to, const char *format, va_list list) {
  Sink sink;
  begin(&sink, to, SIZE_MAX);
  format_to(BUFFER, &sink, format, list);
  to[sink.total] = 0;
  return count_of(&sink);
}

LIBRARY int vsnprintf(char *to, size_t size, const char *format, va_list list) {
  Sink sink;
  begin(&sink, to, size ? size - 1 : 0);
  format_to(BUFFER, &sink, format, list);
  if (size) to[sink.total < sink.room ? sink.total : sink.room] = 0;
  return count_of(&sink);
}

LIBRARY int vasprintf(char **to, const char *format, va_list list) {
  Sink sink;
  begin(&sink, NULL, 0);
  format_to(BLOCK, &sink, format, list);
  put(BLOCK, &sink, 0);
  char *block = sink.to ? realloc(sink.to, sink.total) : NULL;
  if (!block) return -1;
  *to = block;
  sink.total--;
  return count_of(&sink);
}
