// Numbers, sorting and searching of the C library, in C, for programs under check.
// Every function is weak, so that one of the program wins.

#include <limits.h>
#include <stddef.h>

// As Linux numbers them.
#define EINVAL 22
#define ERANGE 34
int *__errno_location(void);
#define errno (*__errno_location())

#define LIBRARY __attribute__((weak))

LIBRARY int abs(int n) { return n < 0 ? -n : n; }
LIBRARY long labs(long n) { return n < 0 ? -n : n; }
LIBRARY long long llabs(long long n) { return n < 0 ? -n : n; }

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return INT_MAX;
}

static int is_digit(char c, int base) { return digit_of(c) < base; }

// A number as it is written: behind its sign and the prefix that tells its base.
typedef struct {
  const char *digits;
  int negative;
  int base;
} Numeral;

// C23 knows the prefix 0b too.
static Numeral begin_numeral(const char *s, int base, int c23) {
  while (is_space(*s)) s++;
  char sign = *s;
  Numeral numeral = {s, sign == '-', base};
  if (sign == '-' || sign == '+') numeral.digits = ++s;
  if (base != 0 && base != 16 && !(base == 2 && c23)) return numeral;
  char first = s[0];
  if (first != '0') {
    if (base == 0) numeral.base = 10;
    return numeral;
  }
  if (base == 0) numeral.base = 8;
  char letter = s[1];
  int of_prefix = letter == 'x' || letter == 'X' ? 16 : c23 && (letter == 'b' || letter == 'B') ? 2 : 0;
  if (of_prefix != 0 && (base == 0 || base == of_prefix) && is_digit(s[2], of_prefix)) {
    numeral.base = of_prefix;
    numeral.digits = s + 2;
  }
  return numeral;
}

// What the digits say, at most `limit`; `*past` tells whether it is more. `*end` is behind
// them, or `start` if there are none.
static unsigned long long magnitude(Numeral numeral, unsigned long long limit, int *past,
                                    const char *start, char **end) {
  const char *s = numeral.digits;
  unsigned long long value = 0, base = (unsigned long long)numeral.base;
  *past = 0;
  for (;; s++) {
    int digit = digit_of(*s);
    if (digit >= numeral.base) break;
    if (*past || value > (limit - (unsigned long long)digit) / base)
      *past = 1;
    else
      value = value * base + (unsigned long long)digit;
  }
  if (end) *end = (char *)(s == numeral.digits ? start : s);
  return *past ? limit : value;
}

static int is_bad(int base) {
  if (base >= 0 && base != 1 && base <= 36) return 0;
  errno = EINVAL;
  return 1;
}

static long long parse_signed(const char *s, char **end, int base, int c23, long long min,
                              long long max) {
  if (is_bad(base)) return 0;
  Numeral numeral = begin_numeral(s, base, c23);
  int past;
  unsigned long long limit = (unsigned long long)max + (unsigned long long)numeral.negative;
  unsigned long long value = magnitude(numeral, limit, &past, s, end);
  if (past) {
    errno = ERANGE;
    return numeral.negative ? min : max;
  }
  return numeral.negative ? (long long)(0 - value) : (long long)value;
}

static unsigned long long parse_unsigned(const char *s, char **end, int base, int c23,
                                         unsigned long long max) {
  if (is_bad(base)) return 0;
  Numeral numeral = begin_numeral(s, base, c23);
  int past;
  unsigned long long value = magnitude(numeral, max, &past, s, end);
  if (past) {
    errno = ERANGE;
    return max;
  }
  return numeral.negative ? (0 - value) & max : value;
}

LIBRARY long strtol(const char *s, char **end, int base) {
  return (long)parse_signed(s, end, base, 0, LONG_MIN, LONG_MAX);
}

LIBRARY long long strtoll(const char *s, char **end, int base) {
  return parse_signed(s, end, base, 0, LLONG_MIN, LLONG_MAX);
}

LIBRARY unsigned long strtoul(const char *s, char **end, int base) {
  return (unsigned long)parse_unsigned(s, end, base, 0, ULONG_MAX);
}

LIBRARY unsigned long long strtoull(const char *s, char **end, int base) {
  return parse_unsigned(s, end, base, 0, ULLONG_MAX);
}

// Names that newer C libraries give to the functions of C23.
LIBRARY long __isoc23_strtol(const char *s, char **end, int base) {
  return (long)parse_signed(s, end, base, 1, LONG_MIN, LONG_MAX);
}

LIBRARY long long __isoc23_strtoll(const char *s, char **end, int base) {
  return parse_signed(s, end, base, 1, LLONG_MIN, LLONG_MAX);
}

LIBRARY unsigned long __isoc23_strtoul(const char *s, char **end, int base) {
  return (unsigned long)parse_unsigned(s, end, base, 1, ULONG_MAX);
}

LIBRARY unsigned long long __isoc23_strtoull(const char *s, char **end, int base) {
  return parse_unsigned(s, end, base, 1, ULLONG_MAX);
}

LIBRARY int atoi(const char *s) { return (int)parse_signed(s, NULL, 10, 0, LONG_MIN, LONG_MAX); }
LIBRARY long atol(const char *s) { return (long)parse_signed(s, NULL, 10, 0, LONG_MIN, LONG_MAX); }
LIBRARY long long atoll(const char *s) { return parse_signed(s, NULL, 10, 0, LLONG_MIN, LLONG_MAX); }

static void swap(char *a, char *b, size_t size) {
  if (size == sizeof(void *)) {
    void *kept = *(void **)a;
    *(void **)a = *(void **)b;
    *(void **)b = kept;
    return;
  }
  if (size == sizeof(int)) {
    int kept = *(int *)a;
    *(int *)a = *(int *)b;
    *(int *)b = kept;
    return;
  }
  for (size_t i = 0; i < size; i++) {
    char kept = a[i];
    a[i] = b[i];
    b[i] = kept;
  }
}

// Insertion sort: arrays under check are small, and it needs no memory.
LIBRARY void qsort(void *base, size_t count, size_t size,
                   int (*compare)(const void *, const void *)) {
  char *first = base;
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0; j--) {
      char *left = first + (j - 1) * size, *right = first + j * size;
      if (compare(left, right) <= 0) break;
      swap(left, right, size);
    }
}

LIBRARY void qsort_r(void *base, size_t count, size_t size,
                     int (*compare)(const void *, const void *, void *), void *data) {
  char *first = base;
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0; j--) {
      char *left = first + (j - 1) * size, *right = first + j * size;
      if (compare(left, right, data) <= 0) break;
      swap(left, right, size);
    }
}

LIBRARY void *lfind(const void *key, const void *base, size_t *count, size_t size,
                    int (*compare)(const void *, const void *)) {
  const char *first = base;
  for (size_t i = 0; i < *count; i++)
    if (compare(key, first + i * size) == 0) return (void *)(first + i * size);
  return NULL;
}

LIBRARY void *bsearch(const void *key, const void *base, size_t count, size_t size,
                      int (*compare)(const void *, const void *)) {
  const char *first = base;
  while (count > 0) {
    const char *middle = first + count / 2 * size;
    int order = compare(key, middle);
    if (order == 0) return (void *)middle;
    if (order > 0) {
      first = middle + size;
      count -= count / 2 + 1;
    } else {
      count /= 2;
    }
  }
  return NULL;
}

typedef struct {
  int quot, rem;
} Quotient;
typedef struct {
  long quot, rem;
} LongQuotient;

typedef struct {
  long long quot, rem;
} LongLongQuotient;

LIBRARY Quotient div(int a, int b) { return (Quotient){a / b, a % b}; }
LIBRARY LongQuotient ldiv(long a, long b) { return (LongQuotient){a / b, a % b}; }
LIBRARY LongLongQuotient lldiv(long long a, long long b) {
  return (LongLongQuotient){a / b, a % b};
}
