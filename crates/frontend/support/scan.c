// Formatted input of the C library, in C, for programs under check: from strings, and from
// standard input, where what is read is an input. Every function is weak, so that one of the
// program wins.

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define LIBRARY __attribute__((weak))

// Models of the checker.
void __heddle_unsupported(const char *what);
unsigned char __VERIFIER_nondet_uchar(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);
_Bool __VERIFIER_nondet_bool(void);

// `strtoll` and `strtoull`, with the prefix 0b of C23 and without.
long long strtoll(const char *s, char **end, int base);
long long __isoc23_strtoll(const char *s, char **end, int base);
unsigned long long strtoull(const char *s, char **end, int base);

#define END (-1)

typedef struct {
  int skips;  // `*`: nothing is stored
  int width;  // 0 if none is given
  char length;  // `H` for hh, `L` for ll
  char kind;
  const char *set;  // of `[`, behind `^`
  int excludes;
} Conversion;

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static const char *read_length(const char *format, Conversion *conversion) {
  char c = *format;
  if (c != 'h' && c != 'l' && c != 'j' && c != 'z' && c != 't' && c != 'L') return format;
  conversion->length = c;
  if (format[1] != c || (c != 'h' && c != 'l')) return format + 1;
  conversion->length = c == 'h' ? 'H' : 'L';
  return format + 2;
}

// What stands behind `%`; gives what follows.
static const char *read_conversion(const char *format, Conversion *conversion) {
  *conversion = (Conversion){0};
  if (*format == '*') conversion->skips = 1, format++;
  while (*format >= '0' && *format <= '9')
    conversion->width = conversion->width * 10 + (*format++ - '0');
  if (*format == '$') __heddle_unsupported("scanf with arguments by position");
  if (*format == 'm') __heddle_unsupported("scanf that allocates");
  format = read_length(format, conversion);
  conversion->kind = *format++;
  if (conversion->kind != '[') return format;
  if (*format == '^') conversion->excludes = 1, format++;
  conversion->set = format;
  if (*format == ']') format++;
  while (*format && *format != ']') format++;
  return *format ? format + 1 : format;
}

static int in_set(char c, const Conversion *conversion) {
  const char *set = conversion->set;
  int found = 0;
  do {
    if (set[1] == '-' && set[2] && set[2] != ']') {
      if (c >= set[0] && c <= set[2]) found = 1;
      set += 2;
    } else if (*set == c) {
      found = 1;
    }
    set++;
  } while (*set && *set != ']');
  return found != conversion->excludes;
}

static void store_number(const Conversion *conversion, void *to, unsigned long long value) {
  switch (conversion->length) {
  case 'H': *(unsigned char *)to = (unsigned char)value; break;
  case 'h': *(unsigned short *)to = (unsigned short)value; break;
  case 'l': *(unsigned long *)to = (unsigned long)value; break;
  case 'L':
  case 'j': *(unsigned long long *)to = value; break;
  case 'z':
  case 't': *(size_t *)to = (size_t)value; break;
  default: *(unsigned *)to = (unsigned)value; break;
  }
}

static int base_of(char kind) {
  switch (kind) {
  case 'd':
  case 'u': return 10;
  case 'o': return 8;
  case 'x':
  case 'X':
  case 'p': return 16;
  case 'i': return 0;
  default: __heddle_unsupported("a scanf conversion of this kind"); return 10;
  }
}

#define LONGEST 64

// The number at `*text`, of at most as many characters as the conversion says.
static int scan_number(const char **text, const Conversion *conversion, int c23,
                       unsigned long long *value) {
  char copy[LONGEST];
  const char *from = *text;
  int length = 0, most = conversion->width ? conversion->width : LONGEST - 1;
  if (most > LONGEST - 1) most = LONGEST - 1;
  while (length < most && from[length] && !is_space(from[length])) {
    copy[length] = from[length];
    length++;
  }
  if (length == LONGEST - 1) __heddle_unsupported("scanf of a number of over 62 characters");
  copy[length] = 0;
  char *end;
  int base = base_of(conversion->kind);
  if (conversion->kind == 'd') *value = (unsigned long long)strtoll(copy, &end, base);
  else if (conversion->kind != 'i') *value = strtoull(copy, &end, base);
  else *value = (unsigned long long)(c23 ? __isoc23_strtoll : strtoll)(copy, &end, base);
  // As the GNU C library does it, a prefix without digits is read, and is a zero.
  if ((base == 0 || base == 16) && end != copy && end[-1] == '0' && (*end | 32) == 'x' &&
      (end == copy + 1 || end[-2] == '+' || end[-2] == '-'))
    end++;
  // A sign is read before it turns out that no digit follows.
  int read = end != copy ? (int)(end - copy) : *copy == '-' || *copy == '+';
  *text = from + read;
  return end != copy;
}

// Characters of a word, of a set, or any.
static int scan_characters(const char **text, const Conversion *conversion, char *to) {
  int any = conversion->kind == 'c';
  int most = conversion->width ? conversion->width : any ? 1 : INT32_MAX, count = 0;
  for (; count < most; count++) {
    char c = **text;
    if (!c) break;
    if (conversion->kind == 's' && is_space(c)) break;
    if (conversion->kind == '[' && !in_set(c, conversion)) break;
    if (!conversion->skips) to[count] = c;
    (*text)++;
  }
  // As the GNU C library does it, fewer than as many are enough.
  if (count && !any && !conversion->skips) to[count] = 0;
  return count > 0;
}

static int is_text(char kind) { return kind == 'c' || kind == 's' || kind == '['; }

static void refuse_wide(const Conversion *conversion) {
  if (is_text(conversion->kind) && conversion->length)
    __heddle_unsupported("scanf of wide characters");
}

// What is left of a text. The end is met where a character behind the last one was asked for.
typedef struct {
  const char *text;
  int met_end;
} Cursor;

static char peek(Cursor *at) {
  if (!*at->text) at->met_end = 1;
  return *at->text;
}

static void skip_spaces(Cursor *at) {
  while (is_space(peek(at))) at->text++;
}

static int scan_value(Cursor *at, const Conversion *conversion, int c23, void *to) {
  const char *start = at->text;
  int any = 0;
  unsigned long long value;
  if (is_text(conversion->kind)) {
    any = scan_characters(&at->text, conversion, to);
  } else {
    any = scan_number(&at->text, conversion, c23, &value);
    if (any && !conversion->skips) store_number(conversion, to, value);
  }
  int most = conversion->width ? conversion->width : conversion->kind == 'c' ? 1 : INT32_MAX;
  if (at->text - start < most) peek(at);
  return any;
}

static int scan_from(Cursor *at, const char *format, int c23, va_list list) {
  const char *start = at->text;
  int count = 0, any = 0;
  while (*format) {
    if (is_space(*format)) {
      skip_spaces(at);
      format++;
      continue;
    }
    if (*format != '%') {
      if (!peek(at)) return any ? count : END;
      if (*at->text != *format) return count;
      at->text++, format++;
      continue;
    }
    Conversion conversion;
    format = read_conversion(format + 1, &conversion);
    refuse_wide(&conversion);
    if (conversion.kind == 'n') {
      store_number(&conversion, va_arg(list, void *), (unsigned long long)(at->text - start));
      continue;
    }
    if (conversion.kind != 'c' && conversion.kind != '[') skip_spaces(at);
    if (!peek(at)) return any ? count : END;
    if (conversion.kind == '%') {
      if (*at->text != '%') return count;
      at->text++;
      continue;
    }
    any = 1;
    void *to = conversion.skips ? NULL : va_arg(list, void *);
    if (!scan_value(at, &conversion, c23, to)) return count;
    if (!conversion.skips) count++;
  }
  return count;
}

static int scan_text(const char *text, const char *format, int c23, va_list list) {
  Cursor cursor = {text, 0};
  return scan_from(&cursor, format, c23, list);
}

// For streams, which go on behind what was read.
LIBRARY int __heddle_scan(const char *text, const char *format, int c23, int *met_end,
                          const char **rest, va_list list) {
  Cursor cursor = {text, 0};
  int count = scan_from(&cursor, format, c23, list);
  *met_end = cursor.met_end;
  *rest = cursor.text;
  return count;
}

// From standard input: each conversion gives anything, or the input ends or does not fit.
static int scan_input(const char *format, va_list list) {
  int count = 0;
  while (*format) {
    if (*format++ != '%') continue;
    Conversion conversion;
    format = read_conversion(format, &conversion);
    refuse_wide(&conversion);
    if (conversion.kind == '%') continue;
    if (conversion.kind == 'n') __heddle_unsupported("%n in scanf");
    if (!__VERIFIER_nondet_bool()) return count ? count : __VERIFIER_nondet_bool() ? 0 : END;
    if (conversion.skips) continue;
    void *to = va_arg(list, void *);
    count++;
    if (!is_text(conversion.kind)) {
      base_of(conversion.kind);
      store_number(&conversion, to, __VERIFIER_nondet_ulonglong());
      continue;
    }
    if (conversion.kind != 'c' && !conversion.width)
      __heddle_unsupported("scanf of a word without a width, which no buffer is large enough for");
    int most = conversion.width ? conversion.width : 1;
    for (int i = 0; i < most; i++) ((char *)to)[i] = (char)__VERIFIER_nondet_uchar();
    if (conversion.kind != 'c') ((char *)to)[most] = 0;
  }
  return count;
}

#define HAND_ON(call)                                                                              \
  va_list list;                                                                                    \
  va_start(list, format);                                                                          \
  int count = call;                                                                                \
  va_end(list);                                                                                    \
  return count;

LIBRARY int vsscanf(const char *text, const char *format, va_list list) {
  return scan_text(text, format, 0, list);
}
LIBRARY int sscanf(const char *text, const char *format, ...) {
  HAND_ON(scan_text(text, format, 0, list))
}
LIBRARY int scanf(const char *format, ...) { HAND_ON(scan_input(format, list)) }
LIBRARY int vscanf(const char *format, va_list list) { return scan_input(format, list); }

// Names that newer C libraries give to the functions of C99 and C23.
LIBRARY int __isoc99_sscanf(const char *text, const char *format, ...) {
  HAND_ON(scan_text(text, format, 0, list))
}
LIBRARY int __isoc99_scanf(const char *format, ...) { HAND_ON(scan_input(format, list)) }
LIBRARY int __isoc23_sscanf(const char *text, const char *format, ...) {
  HAND_ON(scan_text(text, format, 1, list))
}
LIBRARY int __isoc23_scanf(const char *format, ...) { HAND_ON(scan_input(format, list)) }

// A character of standard input, or its end.
LIBRARY int getchar(void) { return __VERIFIER_nondet_bool() ? __VERIFIER_nondet_uchar() : END; }
LIBRARY int getchar_unlocked(void) { return getchar(); }
