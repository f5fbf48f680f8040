// Integer arithmetic: widths, signs, shifts, wrap-around.
#include <assert.h>
#include <limits.h>
#include <stdint.h>

int main(void) {
    uint8_t small = 250;
    small += 10;
    assert(small == 4);
    int8_t negative = (int8_t)0x80;
    assert(negative == -128 && negative >> 1 == -64 && (uint8_t)negative >> 1 == 64);
    assert(-7 / 2 == -3 && -7 % 2 == -1 && 7u / 2 == 3);
    assert(UINT_MAX + 1u == 0 && (unsigned)-1 > 1u);
    long long wide = 1LL << 40;
    assert(wide >> 38 == 4 && (int)wide == 0);
    assert((0xf0 ^ 0xff) == 0x0f && (~0u & 0xff) == 0xff);
    unsigned bits = 0x80000001u;
    assert(__builtin_popcount(bits) == 2 && __builtin_ctz(bits) == 0);
    return 0;
}
