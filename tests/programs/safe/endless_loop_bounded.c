// A loop without end is cut, and the cut is named.
//@ unwind: 3
//@ verdict: bounded
#include <assert.h>

static unsigned n;

int main(void) {
    for (;;) {
        n++;
        assert(n != 0);
    }
}

