// Each of these leaves the range of its type.
//@ args: --check overflow
//@ variant[sc]: ADD
//@ variant[sc]: SUBTRACT
//@ variant[sc]: MULTIPLY
//@ variant[sc]: NEGATE
//@ variant[sc]: DIVIDE
//@ variant[sc]: REMAINDER
//@ variant[sc]: INCREMENT
//@ variant[sc]: ABSOLUTE
//@ variant[sc]: LONG
#include <limits.h>
#include <stdlib.h>

static int high = INT_MAX, low = INT_MIN, minus = -1;
static long wide = LONG_MAX;

int main(void) {
#if defined ADD
    return high + high; //~ VIOLATION: signed-overflow
#elif defined SUBTRACT
    return low - high; //~ VIOLATION: signed-overflow
#elif defined MULTIPLY
    return high * 2; //~ VIOLATION: signed-overflow
#elif defined NEGATE
    return -low; //~ VIOLATION: signed-overflow
#elif defined DIVIDE
    return low / minus; //~ VIOLATION: signed-overflow
#elif defined REMAINDER
    return low % minus; //~ VIOLATION: signed-overflow
#elif defined INCREMENT
    high++; //~ VIOLATION: signed-overflow
#elif defined ABSOLUTE
    return abs(low); //~ VIOLATION: signed-overflow
#elif defined LONG
    wide += 1; //~ VIOLATION: signed-overflow
#endif
    return 0;
}
