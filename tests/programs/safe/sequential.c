// One thread only: one execution.
//@ executions[naive,sc]: 1
//@ executions[dpor,sc]: 1
//@ executions[optimal,sc]: 1
#include <assert.h>

int main(void) {
    int sum = 0;
    for (int i = 1; i <= 10; i++)
        sum += i;
    assert(sum == 55);
    return 0;
}
