// A vector that only one way through the program fills.
#include <assert.h>

typedef int four __attribute__((vector_size(16)));

static volatile int filled;

int main(void) {
    four v;
    if (filled) v = (four){3, 3, 3, 3};
    assert(v[2] == 3); //~ VIOLATION: assertion
    return 0;
}
