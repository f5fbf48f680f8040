// Arguments that are inputs are at most two, of at most two characters.
//@ args: --args=any
//@ verdict: bounded
//@ lazy: bounded  short arguments
#include <assert.h>
#include <string.h>

int main(int argc, char **argv) {
    assert(argc <= 3);
    for (int i = 1; i < argc; i++)
        assert(strlen(argv[i]) <= 2);
    return 0;
}
