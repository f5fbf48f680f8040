// Without --check overflow, signed arithmetic wraps as the processor does it.
#include <assert.h>
#include <limits.h>

static int high = INT_MAX;

int main(void) {
    high++;
    assert(high == INT_MIN);
    return 0;
}
