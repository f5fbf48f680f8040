// A variable that was changed before the jump is indeterminate, but nobody looks at it before
// it gets another value. One that was not changed keeps its value.
#include <assert.h>
#include <setjmp.h>

int main(void) {
    jmp_buf where;
    int changed = 1, kept = 2;
    if (setjmp(where) == 0) {
        changed = 3;
        assert(changed == 3);
        longjmp(where, 1);
    }
    changed = 4;
    assert(changed == 4 && kept == 2);
}
