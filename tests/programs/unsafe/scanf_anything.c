// What standard input holds is an input; that something could be read is not said.
#include <assert.h>
#include <stdio.h>

int main(void) {
    int number = 0;
    if (scanf("%d", &number) == 1) assert(number != 1); //~ VIOLATION: assertion
    return 0;
}
