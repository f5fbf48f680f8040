// Any arguments, a few short ones.
//@ args: --args=any
//@ engines: lazy
#include <assert.h>

int main(int argc, char **argv) {
    if (argc == 3)
        assert(argv[2][0] != '-' || argv[2][1] != 'x'); //~ VIOLATION: assertion
    return 0;
}
