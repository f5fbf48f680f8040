// Numbers from their parts, parts of numbers, and roundings to integers.
#define _GNU_SOURCE
#include <assert.h>
#include <float.h>
#include <math.h>
#include <pthread.h>

static void *work(void *arg) {
    double whole, x = *(double *)arg;
    float single;
    int exponent;
    assert(modf(-x, &whole) == -0.75 && whole == -6);
    assert(modff(1.5f, &single) == 0.5f && single == 1);
    assert(frexp(x, &exponent) == 0.84375 && exponent == 3);
    assert(ldexp(0.84375, 3) == x && scalbn(x, -1) == 3.375 && scalbnf(1.5f, 2) == 6);
    assert(ilogb(x) == 2 && logb(x) == 2);
    assert(lround(x) == 7 && lround(-6.5) == -7 && lrint(6.5) == 6 && llround(2.5) == 3);
    assert(llrint(-2.5) == -2 && lroundf(0.5f) == 1 && lrintf(1.5f) == 2);
    return 0;
}

int main(void) {
    pthread_t a;
    double x = 6.75, sine, cosine;
    pthread_create(&a, 0, work, &x);
    pthread_join(a, 0);

    assert(ldexp(1, 1024) == INFINITY && ldexp(1, -1074) == 0x1p-1074 && ldexp(1, -1076) == 0);
    assert(ldexp(0x1.8p-1022, -1) == 0x1.8p-1023 && ldexp(0x1p-1074, 2097) == 0x1p1023);
    assert(nextafter(1, 2) == 1 + DBL_EPSILON && nextafter(0, -1) == -0x1p-1074);
    assert(logb(0) == -INFINITY && ilogb(0x1p-1070) == -1070);
    int exponent;
    assert(frexp(0x1p-1074, &exponent) == 0.5 && exponent == -1073);
    assert(signbit(modf(-INFINITY, &x)) && x == -INFINITY);
    sincos(0, &sine, &cosine);
    assert(sine == 0 && cosine == 1);
    assert(asinh(0) == 0 && acosh(1) == 0 && atanh(0) == 0);
    return 0;
}
