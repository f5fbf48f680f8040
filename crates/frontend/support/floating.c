// Parts of floating-point numbers, and numbers from their parts, in C, for programs under
// check. Every function is weak, so that one of the program wins. What rounds is computed by
// the checker (`floor`, `rint`, …). Rounding is to nearest.

#include <limits.h>

#define LIBRARY __attribute__((weak))

typedef unsigned long long word;

// Models of the checker.
double trunc(double x);
float truncf(float x);
double rint(double x);
float rintf(float x);
double round(double x);
float roundf(float x);
double sin(double x);
double cos(double x);
float sinf(float x);
float cosf(float x);

#define MOST_EXPONENT 0x7ff
#define BIAS 1023
#define FRACTION 52
#define FRACTION_BITS (((word)1 << FRACTION) - 1)
#define SIGN ((word)1 << 63)

static word bits_of(double x) {
  union {
    double number;
    word bits;
  } both = {x};
  return both.bits;
}

static double number_of(word bits) {
  union {
    word bits;
    double number;
  } both = {bits};
  return both.number;
}

static int exponent_of(word bits) { return (int)(bits >> FRACTION & MOST_EXPONENT); }

// Zero, infinite, or no number.
static int has_no_exponent(double x) { return x == 0 || exponent_of(bits_of(x)) == MOST_EXPONENT; }

// The exponent of what lies between 1 and 2; others than normal numbers are scaled first.
static int exponent(double x) {
  int of_bits = exponent_of(bits_of(x));
  if (of_bits != 0) return of_bits - BIAS;
  return exponent_of(bits_of(x * 0x1p64)) - BIAS - 64;
}

// A power of two that is a normal number.
static double power(int n) { return number_of((word)(n + BIAS) << FRACTION); }

// In steps, of which the last one rounds.
static double scale(double x, long n) {
  if (has_no_exponent(x)) return x;
  if (n > 2200) n = 2200;
  if (n < -2200) n = -2200;
  int rest = (int)n;
  for (int steps = 0; rest > 1023 && steps < 2; steps++) x *= 0x1p1023, rest -= 1023;
  if (rest > 1023) rest = 1023;
  if (rest >= -1022) return x * power(rest);
  int now = exponent(x), target = now + rest;
  // What is a normal number keeps all its digits.
  if (target >= -1022) return x * power(rest / 3) * power(rest / 3) * power(rest - 2 * (rest / 3));
  // What is below them is brought to between 1 and 2 first, and rounds once.
  if (exponent_of(bits_of(x)) == 0) x *= 0x1p64;
  x = number_of((bits_of(x) & (FRACTION_BITS | SIGN)) | (word)BIAS << FRACTION);
  if (target < -1080) target = -1080;
  return x * power(-1000) * power(target + 1000);
}

LIBRARY double scalbn(double x, int n) { return scale(x, n); }
LIBRARY double scalbln(double x, long n) { return scale(x, n); }
LIBRARY double ldexp(double x, int n) { return scale(x, n); }
// A double has room for every float, scaled or not; only the last step rounds.
static float scale_single(float x, long n) {
  if (n > 400) n = 400;
  if (n < -400) n = -400;
  return (float)scale(x, n);
}
LIBRARY float scalbnf(float x, int n) { return scale_single(x, n); }
LIBRARY float ldexpf(float x, int n) { return scale_single(x, n); }

LIBRARY double frexp(double x, int *slot) {
  *slot = 0;
  if (has_no_exponent(x)) return x;
  *slot = exponent(x) + 1;
  word bits = bits_of(exponent_of(bits_of(x)) == 0 ? x * 0x1p64 : x);
  return number_of((bits & (FRACTION_BITS | SIGN)) | (word)(BIAS - 1) << FRACTION);
}

LIBRARY float frexpf(float x, int *slot) { return (float)frexp(x, slot); }

// What is behind the point, with the sign of the number.
LIBRARY double __heddle_fraction(double x) {
  if (x != x) return x;
  double rest = x == trunc(x) ? 0 : x - trunc(x);
  return __builtin_copysign(rest, x);
}

LIBRARY float __heddle_fractionf(float x) { return (float)__heddle_fraction(x); }

LIBRARY double modf(double x, double *slot) {
  *slot = trunc(x);
  return __heddle_fraction(x);
}

LIBRARY float modff(float x, float *slot) {
  *slot = truncf(x);
  return __heddle_fractionf(x);
}

LIBRARY int ilogb(double x) {
  if (x == 0 || x != x) return INT_MIN;
  return has_no_exponent(x) ? INT_MAX : exponent(x);
}

LIBRARY int ilogbf(float x) { return ilogb(x); }

LIBRARY double logb(double x) {
  if (x == 0) return -1 / __builtin_fabs(x);
  return has_no_exponent(x) ? x * x : exponent(x);
}

LIBRARY float logbf(float x) { return (float)logb(x); }

LIBRARY double nextafter(double x, double to) {
  if (x != x || to != to) return x + to;
  if (x == to) return to;
  if (x == 0) return __builtin_copysign(number_of(1), to);
  word bits = bits_of(x);
  return number_of((x < to) == (x > 0) ? bits + 1 : bits - 1);
}

LIBRARY long lround(double x) { return (long)round(x); }
LIBRARY long lroundf(float x) { return (long)roundf(x); }
LIBRARY long long llround(double x) { return (long long)round(x); }
LIBRARY long long llroundf(float x) { return (long long)roundf(x); }
LIBRARY long lrint(double x) { return (long)rint(x); }
LIBRARY long lrintf(float x) { return (long)rintf(x); }
LIBRARY long long llrint(double x) { return (long long)rint(x); }
LIBRARY long long llrintf(float x) { return (long long)rintf(x); }

LIBRARY void sincos(double x, double *sine, double *cosine) {
  *sine = sin(x);
  *cosine = cos(x);
}

LIBRARY void sincosf(float x, float *sine, float *cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
