// What is only printed is no input.
//@ executions[optimal,sc]: 1
#include <stdio.h>

int main(void) {
    int never, values[2];
    values[1] = 3;
    printf("%d %5d %x\n", never, values[0], (unsigned)values[1]);
    return 0;
}
