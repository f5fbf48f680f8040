// Unsigned arithmetic wraps, narrow types are computed in int, and conversions cut.
//@ args: --check all
#include <assert.h>
#include <limits.h>
#include <stdatomic.h>

static atomic_int counter = INT_MAX;

int main(void) {
    unsigned u = UINT_MAX;
    u++;
    assert(u == 0);
    short s = SHRT_MAX;
    s++;
    assert(s == SHRT_MIN);
    signed char c = (signed char)(100 + 100);
    assert(c == -56);
    atomic_fetch_add(&counter, 1);
    assert(counter == INT_MIN);
    long sum = (long)INT_MAX + 1;
    assert(sum > INT_MAX);
    int low = INT_MIN;
    assert(low / 2 == -(1 << 30) && low % 3 == -2);
    return 0;
}
