// The compiler's own jumps.
#include <assert.h>

static void *buffer[5];
static int steps;

static void deeper(int n) {
    steps++;
    if (n == 0) __builtin_longjmp(buffer, 1);
    deeper(n - 1);
}

int main(void) {
    if (__builtin_setjmp(buffer) == 0) deeper(2);
    else steps += 10;
    assert(steps == 13);
}
