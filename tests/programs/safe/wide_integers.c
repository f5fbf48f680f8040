// Integers of over 64 bits, in words.
#include <assert.h>

typedef unsigned __int128 wide;
typedef unsigned long word;

struct fields {
    word a : 40;
    word b : 60;
    wide c : 100;
    int d : 7;
};

static wide global = (wide)1 << 100 | 5;
static volatile word big = 0xfedcba9876543210, ten = 10;
static volatile int distance = 67;

static word high(wide x) { return (word)(x >> 64); }

int main(void) {
    wide product = (wide)big * big, sum = product + big + global;
    assert(high(product) == 0xfdbac097c8dc5acc && (word)product == 0xdeec6cd7a44a4100);
    assert(high(sum) == high(product) + ((word)1 << 36) + 1 && sum - global - big == product);
    assert(product / big == big && product % big == 0 && product / ten * ten + product % ten == product);
    assert(product >> distance == high(product) >> 3 && high((wide)ten << distance) == 80);
    assert((__int128)-global < 0 && -(__int128)global / 3 == -((__int128)global / 3));
    assert((__int128)-7 % 3 == -1 && (double)((wide)1 << 100) == 0x1p100 && (wide)0x1p70 == (wide)1 << 70);
    assert(global > product - product && !(product < global) && ~~product == product);

    struct fields f = {1, 2, 3, -4};
    f.c = ((wide)1 << 99) + ten;
    f.b = big;
    assert(f.a == 1 && f.b == (big & (((word)1 << 60) - 1)) && f.d == -4);
    assert(f.c >> 99 == 1 && (word)f.c == 10);

    __int128 exact;
    assert(!__builtin_add_overflow((__int128)1, (__int128)ten, &exact) && exact == 11);
    assert(__builtin_mul_overflow((__int128)global, (__int128)1 << 40, &exact));
    return 0;
}
