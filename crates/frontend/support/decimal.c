// Numbers with a fraction from text, in C, for programs under check: the text is read by
// ordinary accesses, and a model of the checker rounds. Weak, so that the program's own wins.

#include <stddef.h>

#define LIBRARY __attribute__((weak))

// Models of the checker: the number nearest to `digits * 10^exponent`.
double __heddle_number_double(unsigned long long digits, int exponent);
float __heddle_number_single(unsigned long long digits, int exponent);
void __heddle_unsupported(const char *what);
int *__errno_location(void);

#define ERANGE 34
#define MOST_DIGITS 19

typedef struct {
  const char *end;  // null if there is no number
  int negative;
  int special;  // 'i' for infinity, 'n' for no number
  unsigned long long digits;
  int exponent;
} Decimal;

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

static int starts(const char *text, const char *word) {
  int length = 0;
  while (word[length] && lower(text[length]) == word[length]) length++;
  return word[length] ? 0 : length;
}

static const char *read_exponent(const char *text, int *exponent) {
  const char *at = text + 1;
  int negative = *at == '-', value = 0;
  if (*at == '-' || *at == '+') at++;
  if (*at < '0' || *at > '9') return text;
  for (; *at >= '0' && *at <= '9'; at++)
    if (value < 100000) value = value * 10 + (*at - '0');
  *exponent += negative ? -value : value;
  return at;
}

static Decimal read_decimal(const char *text) {
  Decimal found = {NULL, 0, 0, 0, 0};
  while (*text == ' ' || (*text >= '\t' && *text <= '\r')) text++;
  found.negative = *text == '-';
  if (*text == '-' || *text == '+') text++;
  int length = starts(text, "infinity");
  if (!length) length = starts(text, "inf");
  if (length) return found.special = 'i', found.end = text + length, found;
  if ((length = starts(text, "nan"))) {
    if (text[length] == '(') __heddle_unsupported("a number that is none, with a name");
    return found.special = 'n', found.end = text + length, found;
  }
  if (*text == '0' && lower(text[1]) == 'x') __heddle_unsupported("a hexadecimal fraction");
  int any = 0, behind = 0, count = 0;
  for (;; text++) {
    if (*text == '.' && !behind) {
      behind = 1;
      continue;
    }
    if (*text < '0' || *text > '9') break;
    any = 1;
    if (count == MOST_DIGITS) {
      if (*text != '0') __heddle_unsupported("a fraction of over 19 digits");
      if (!behind) found.exponent++;
      continue;
    }
    found.digits = found.digits * 10 + (unsigned)(*text - '0');
    if (found.digits) count++;
    if (behind) found.exponent--;
  }
  if (!any) return found;
  if (lower(*text) == 'e') text = read_exponent(text, &found.exponent);
  found.end = text;
  return found;
}

// A number too small to be exact is out of range too: none of 19 digits is.
#define CONVERT(type, round, huge, tiny)                                                                 \
  Decimal found = read_decimal(text);                                                              \
  if (end) *end = (char *)(found.end ? found.end : text);                                          \
  type value = found.special == 'i'   ? __builtin_inf()                                            \
               : found.special == 'n' ? __builtin_nan("")                                          \
                                      : round(found.digits, found.exponent);                       \
  if (!found.special && found.digits && (value > huge || value < tiny))                            \
    *__errno_location() = ERANGE;                                                                  \
  return found.negative ? -value : value;

LIBRARY double strtod(const char *text, char **end) {
  CONVERT(double, __heddle_number_double, __DBL_MAX__, __DBL_MIN__)
}
LIBRARY float strtof(const char *text, char **end) {
  CONVERT(float, __heddle_number_single, __FLT_MAX__, __FLT_MIN__)
}
LIBRARY double atof(const char *text) { return strtod(text, NULL); }
