// Functions that are inline in the sense of C99: no file defines them.
#include <assert.h>

int count;

inline int twice(int x) { return 2 * x; }

inline int four_times(int x) {
    count++;
    return twice(twice(x));
}

int main(void) {
    assert(four_times(3) == 12 && count == 1);
    return 0;
}
