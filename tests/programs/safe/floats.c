// Floats and doubles, concretely.
#include <assert.h>

static double half(double x) { return x / 2; }

int main(void) {
    float f = 0.1f + 0.2f;
    double d = 0.1 + 0.2;
    assert(f > 0.3f - 0.001f && f < 0.3f + 0.001f);
    assert(d != 0.3);
    assert(half(3.0) == 1.5);
    assert((int)-2.7 == -2 && (unsigned char)200.9 == 200);
    assert((double)(float)1e-3 != 1e-3);
    double zero = 0.0, nan = zero / zero;
    assert(nan != nan && !(nan < 1.0) && 1.0 / zero > 1e300);
    return 0;
}
