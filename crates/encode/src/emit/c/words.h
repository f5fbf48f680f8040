/* Bit-vectors of up to 64 bits: the bits above the width are 0. Division is total. */
typedef unsigned long long word;

#define UNUSED __attribute__((unused))

static UNUSED word mask(unsigned width) { return ~0ULL >> (64 - width); }

static UNUSED long long as_signed(word a, unsigned width)
{
    word sign = 1ULL << (width - 1);
    return (long long)((a ^ sign) - sign);
}

static UNUSED word sign_extend(word a, unsigned from, unsigned to)
{
    return (word)as_signed(a, from) & mask(to);
}

static UNUSED _Bool signed_less(word a, word b, unsigned width)
{
    return as_signed(a, width) < as_signed(b, width);
}

static UNUSED word shift_left(word a, word by, unsigned width)
{
    return by < width ? a << by & mask(width) : 0;
}

static UNUSED word shift_right(word a, word by, unsigned width)
{
    return by < width ? a >> by : 0;
}

static UNUSED word shift_right_signed(word a, word by, unsigned width)
{
    _Bool negative = a >> (width - 1) & 1;
    if (by >= width)
        return negative ? mask(width) : 0;
    word copies = by == 0 ? 0 : mask((unsigned)by) << (width - by);
    return a >> by | (negative ? copies : 0);
}

static UNUSED word divide(word a, word b, unsigned width) { return b == 0 ? mask(width) : a / b; }

static UNUSED word remainder_of(word a, word b) { return b == 0 ? a : a % b; }

static UNUSED word magnitude(word a, unsigned width)
{
    return a >> (width - 1) & 1 ? (0 - a) & mask(width) : a;
}

static UNUSED word divide_signed(word a, word b, unsigned width)
{
    _Bool negative = (a ^ b) >> (width - 1) & 1;
    if (b == 0)
        return a >> (width - 1) & 1 ? 1 : mask(width);
    word quotient = magnitude(a, width) / magnitude(b, width);
    return negative ? (0 - quotient) & mask(width) : quotient;
}

static UNUSED word remainder_signed(word a, word b, unsigned width)
{
    if (b == 0)
        return a;
    word rest = magnitude(a, width) % magnitude(b, width);
    return a >> (width - 1) & 1 ? (0 - rest) & mask(width) : rest;
}
