// Stack objects whose size is known only at run time.
#include <alloca.h>
#include <assert.h>

static int sum_to(int n) {
    int values[n + 1];
    int *copy = alloca(sizeof values);
    for (int i = 0; i <= n; i++)
        values[i] = copy[i] = i;
    int sum = 0;
    for (int i = 0; i <= n; i++)
        sum += values[i] + copy[i];
    return sum;
}

int main(void) {
    assert(sum_to(4) == 20);
    assert(sum_to(7) == 56);
    return 0;
}
