// Another function than main can be the entry.
//@ args: --entry test_case
#include <assert.h>

int test_case(void) {
    assert(1 + 1 == 2);
    return 0;
}

int main(void) { assert(0); }
