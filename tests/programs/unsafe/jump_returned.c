// The function that called setjmp has returned.
#include <setjmp.h>

static jmp_buf where;

static int remember(void) {
    return setjmp(where);
}

int main(void) {
    if (remember() == 0)
        longjmp(where, 1); //~ VIOLATION: use-after-free
}
