// The counter was changed before the jump and is not volatile.
#include <assert.h>
#include <setjmp.h>

int main(void) {
    jmp_buf where;
    int tries = 0;
    if (setjmp(where) == 0) {
        tries = 1;
        longjmp(where, 1);
    }
    assert(tries == 1); //~ VIOLATION: assertion
}
