// Which of two objects comes first is not for a program to say.
//@ verdict: bounded
//@ lazy: bounded  addresses as modelled
#include <assert.h>
#include <stdint.h>

static int a, b;

int main(void) {
    int first = (uintptr_t)&a < (uintptr_t)&b;
    assert(first == 0 || first == 1);
    return 0;
}
