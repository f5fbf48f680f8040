// Nobody has said which arguments there are: that there are none is a bound.
//@ verdict: bounded
//@ lazy: bounded  no arguments
#include <assert.h>

int main(int argc, char **argv) {
    assert(argc < 3);
    return argv[0] == 0;
}
