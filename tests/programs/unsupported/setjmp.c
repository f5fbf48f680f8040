// Jumps between frames are not modelled.
#include <setjmp.h>

static jmp_buf target;

int main(void) {
    if (setjmp(target)) //~ UNSUPPORTED: setjmp
        return 1;
    longjmp(target, 1);
}
