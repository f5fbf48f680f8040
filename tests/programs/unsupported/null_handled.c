// Where a handler may take the signal, what comes behind a null dereference is not known.
//@ args: --check assert
#include <assert.h>
#include <signal.h>
#include <stdlib.h>

static void leave(int number) { exit(number == SIGSEGV ? 0 : 1); }

int main(void) {
    int *volatile pointer = 0;
    signal(SIGSEGV, leave);
    *pointer = 1; //~ UNSUPPORTED: null-dereference
    assert(0);
    return 0;
}
