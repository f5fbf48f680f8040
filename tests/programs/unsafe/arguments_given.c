// The arguments are the ones that are given.
//@ args: --args=one
#include <assert.h>
#include <string.h>

int main(int argc, char **argv) {
    assert(argc == 2 && argv[2] == 0);
    assert(strcmp(argv[1], "one") != 0); //~ VIOLATION: assertion
    return 0;
}
