// What setjmp gives: 0 when it is called, then what the jump says, 1 for 0. Each buffer leads
// to its own call, also after it was copied, and inside an expression.
#include <assert.h>
#include <setjmp.h>
#include <string.h>

static jmp_buf one, two;

int main(void) {
    volatile int seen = 0;
    if (setjmp(one) == 0) longjmp(one, 0);
    else seen++;
    switch (setjmp(one)) {
    case 0: longjmp(one, 5);
    case 5: seen++; break;
    default: assert(0);
    }
    if (!_setjmp(two)) {
        jmp_buf copy;
        memcpy(&copy, &two, sizeof two);
        _longjmp(copy, -1);
    }
    seen++;
    while (setjmp(one) < 3) longjmp(one, ++seen - 2);
    assert(seen == 5);
}
