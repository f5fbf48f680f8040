// Numbers, sorting and searching of the C library, in C, for programs under check.
// Every function is weak, so that one of the program wins.

#include <limits.h>
#include <stddef.h>

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

// The magnitude of a number. `*past` tells whether it is more than `limit`.
static unsigned long long magnitude(const char **text, int base, unsigned long long limit,
                                    int *past) {
  const char *s = *text;
  unsigned long long value = 0;
  int any = 0;
  *past = 0;
  if ((base == 0 || base == 16) && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') &&
      digit_of(s[2]) < 16) {
    s += 2;
    base = 16;
  }
  if (base == 0) base = s[0] == '0' ? 8 : 10;
  for (;; s++) {
    int digit = digit_of(*s);
    if (digit >= base) break;
    any = 1;
    if (*past || value > (limit - (unsigned long long)digit) / (unsigned long long)base)
      *past = 1;
    else
      value = value * (unsigned long long)base + (unsigned long long)digit;
  }
  if (any) *text = s;
  else *text = NULL;
  return *past ? limit : value;
}

static long long parse_signed(const char *s, char **end, int base, long long min, long long max) {
  const char *p = s;
  while (is_space(*p)) p++;
  int negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  int past;
  unsigned long long limit = (unsigned long long)max + (unsigned long long)negative;
  unsigned long long value = magnitude(&p, base, limit, &past);
  if (end) *end = (char *)(p ? p : s);
  if (past) return negative ? min : max;
  return negative ? (long long)(0 - value) : (long long)value;
}

static unsigned long long parse_unsigned(const char *s, char **end, int base,
                                         unsigned long long max) {
  const char *p = s;
  while (is_space(*p)) p++;
  int negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  int past;
  unsigned long long value = magnitude(&p, base, max, &past);
  if (end) *end = (char *)(p ? p : s);
  return negative && !past ? (0 - value) & max : value;
}

LIBRARY long strtol(const char *s, char **end, int base) {
  return (long)parse_signed(s, end, base, LONG_MIN, LONG_MAX);
}

LIBRARY long long strtoll(const char *s, char **end, int base) {
  return parse_signed(s, end, base, LLONG_MIN, LLONG_MAX);
}

LIBRARY unsigned long strtoul(const char *s, char **end, int base) {
  return (unsigned long)parse_unsigned(s, end, base, ULONG_MAX);
}

LIBRARY unsigned long long strtoull(const char *s, char **end, int base) {
  return parse_unsigned(s, end, base, ULLONG_MAX);
}

// Names that newer C libraries give to the same functions.
LIBRARY long __isoc23_strtol(const char *s, char **end, int base) {
  return (long)parse_signed(s, end, base, LONG_MIN, LONG_MAX);
}

LIBRARY long long __isoc23_strtoll(const char *s, char **end, int base) {
  return parse_signed(s, end, base, LLONG_MIN, LLONG_MAX);
}

LIBRARY unsigned long __isoc23_strtoul(const char *s, char **end, int base) {
  return (unsigned long)parse_unsigned(s, end, base, ULONG_MAX);
}

LIBRARY unsigned long long __isoc23_strtoull(const char *s, char **end, int base) {
  return parse_unsigned(s, end, base, ULLONG_MAX);
}

LIBRARY int atoi(const char *s) { return (int)parse_signed(s, NULL, 10, LONG_MIN, LONG_MAX); }
LIBRARY long atol(const char *s) { return (long)parse_signed(s, NULL, 10, LONG_MIN, LONG_MAX); }
LIBRARY long long atoll(const char *s) { return parse_signed(s, NULL, 10, LLONG_MIN, LLONG_MAX); }

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
