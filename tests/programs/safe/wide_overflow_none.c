// Signed integers of 128 bits at the ends of their range.
//@ args: --check overflow
static volatile long minus = -1;

int main(void) {
    __int128 most = ~((__int128)minus << 126 << 1), least = -most + minus;
    __int128 x = most + least, y = least - minus + most, z = most * minus, half = most / 2;
    return x != -1 || y != 0 || z != least - minus || half * 2 != most - 1 || least / 2 * 2 != least;
}
