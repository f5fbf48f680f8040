// Asks for more arguments than were passed.
#include <stdarg.h>

static int sum(int n, ...) {
    va_list list;
    int total = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        total += va_arg(list, int); //~ VIOLATION: out-of-bounds
    va_end(list);
    return total;
}

int main(void) {
    return sum(3, 1, 2);
}
