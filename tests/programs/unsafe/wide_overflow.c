// Signed integers of 128 bits leave their range.
//@ args: --check overflow
//@ variant[sc]: ADD
//@ variant[sc]: SUBTRACT
//@ variant[sc]: MULTIPLY
//@ variant[sc]: DIVIDE
static volatile long minus = -1;

int main(void) {
    __int128 most = ~((__int128)minus << 126 << 1), least = -most + minus;
    __int128 x;
#if defined ADD
    x = most + (least - minus - minus + most); //~ VIOLATION: signed-overflow
#elif defined SUBTRACT
    x = least - most; //~ VIOLATION: signed-overflow
#elif defined MULTIPLY
    x = (most / 2 - minus) * 2; //~ VIOLATION: signed-overflow
#elif defined DIVIDE
    x = least / minus; //~ VIOLATION: signed-overflow
#endif
    return x == 0;
}
