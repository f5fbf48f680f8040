// Division of integers of 128 bits, and conversions to and from floating point, in C, for
// programs under check. Without loops, which would be bounded. Weak, so that the program's
// own wins.
//
// Long division is that of Knuth ("The Art of Computer Programming", volume 2, 4.3.1,
// algorithm D), in digits of 32 bits.

#define LIBRARY __attribute__((weak))

#ifdef __SIZEOF_INT128__

typedef unsigned long long word;
typedef unsigned __int128 wide;
typedef __int128 signed_wide;

#define LOW 0xffffffffull

static word high_of(wide x) { return (word)(x >> 64); }

static wide join(word high, word low) { return (wide)high << 64 | low; }

// One digit of the quotient of `upper` and a digit by `divisor`, whose highest bit is set.
static word digit(word upper, word next, word divisor) {
  word first = divisor >> 32, second = divisor & LOW;
  word guess = upper / first, rest = upper % first;
  if (guess > LOW || guess * second > (rest << 32 | next)) {
    guess--, rest += first;
    if (rest <= LOW && (guess > LOW || guess * second > (rest << 32 | next))) guess--;
  }
  return guess;
}

// `high` and `low` by `divisor`, which is more than `high`.
static word divide_words(word high, word low, word divisor, word *rest) {
  int shift = __builtin_clzll(divisor);
  divisor <<= shift;
  if (shift) high = high << shift | low >> (64 - shift);
  low <<= shift;
  word first = digit(high, low >> 32, divisor);
  word middle = (high << 32 | low >> 32) - first * divisor;
  word second = digit(middle, low & LOW, divisor);
  *rest = ((middle << 32 | (low & LOW)) - second * divisor) >> shift;
  return first << 32 | second;
}

static wide divide(wide a, wide b, wide *rest) {
  word divisor = (word)b, unused;
  if (high_of(b) == 0) {
    word above = high_of(a) / divisor, last;
    word below = divide_words(high_of(a) % divisor, (word)a, divisor, &last);
    *rest = last;
    return join(above, below);
  }
  // The quotient is a word. By the upper word of the divisor it is right, or one too large.
  int shift = __builtin_clzll(high_of(b));
  wide half = a >> 1;
  word quotient = divide_words(high_of(half), (word)half, high_of(b << shift), &unused);
  quotient >>= 63 - shift;
  if (quotient) quotient--;
  *rest = a - (wide)quotient * b;
  if (*rest >= b) *rest -= b, quotient++;
  return quotient;
}

LIBRARY wide __udivti3(wide a, wide b) {
  wide rest;
  return divide(a, b, &rest);
}

LIBRARY wide __umodti3(wide a, wide b) {
  wide rest;
  divide(a, b, &rest);
  return rest;
}

static wide magnitude(signed_wide x) { return x < 0 ? -(wide)x : (wide)x; }

// Overflows where the quotient does, for whoever looks for that.
static void check_quotient(signed_wide a, signed_wide b) {
  long long least = (long long)(a >> 64);
  if (b == -1 && (word)a == 0) least /= -1;
}

LIBRARY signed_wide __divti3(signed_wide a, signed_wide b) {
  wide rest;
  check_quotient(a, b);
  wide quotient = divide(magnitude(a), magnitude(b), &rest);
  return (signed_wide)((a < 0) != (b < 0) ? -quotient : quotient);
}

LIBRARY signed_wide __modti3(signed_wide a, signed_wide b) {
  wide rest;
  check_quotient(a, b);
  divide(magnitude(a), magnitude(b), &rest);
  return (signed_wide)(a < 0 ? -rest : rest);
}

#define TWO_TO_64 18446744073709551616.0

// The upper bits as a word, whose last bit tells of all that are lost; it is beyond what a
// double has, so that it is rounded once.
static word leading(wide x, int *shift) {
  *shift = 0;
  if (high_of(x) == 0) return (word)x;
  *shift = 64 - __builtin_clzll(high_of(x));
  word kept = (word)(x >> *shift);
  return kept | ((x & (((wide)1 << *shift) - 1)) != 0);
}

// Exact, as all powers of two that are needed.
static double power(int exponent) {
  union {
    word bits;
    double value;
  } made = {(word)(1023 + exponent) << 52};
  return made.value;
}

LIBRARY double __floatuntidf(wide x) {
  int shift;
  word bits = leading(x, &shift);
  return (double)bits * power(shift);
}

// Beyond the largest float is infinity.
LIBRARY float __floatuntisf(wide x) {
  int shift;
  word bits = leading(x, &shift);
  return (float)((double)(float)bits * power(shift));
}

LIBRARY double __floattidf(signed_wide x) {
  double size = __floatuntidf(magnitude(x));
  return x < 0 ? -size : size;
}

LIBRARY float __floattisf(signed_wide x) {
  float size = __floatuntisf(magnitude(x));
  return x < 0 ? -size : size;
}

LIBRARY wide __fixunsdfti(double x) {
  word high = (word)(x / TWO_TO_64);
  return join(high, (word)(x - (double)high * TWO_TO_64));
}

LIBRARY signed_wide __fixdfti(double x) {
  wide size = __fixunsdfti(x < 0 ? -x : x);
  return (signed_wide)(x < 0 ? -size : size);
}

LIBRARY wide __fixunssfti(float x) { return __fixunsdfti(x); }
LIBRARY signed_wide __fixsfti(float x) { return __fixdfti(x); }

#endif
