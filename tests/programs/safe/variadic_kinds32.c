//@ args: --32
// Variadic functions: all that can be passed, lists that are handed on and copied, calls
// through pointers and in loops.
#include <assert.h>
#include <stdarg.h>

struct pair { int a; double b; };
struct large { long a, b, c; };
struct __attribute__((aligned(16))) wide { int x[8]; };

static int kinds(int n, ...) {
    va_list list;
    va_start(list, n);
    assert(va_arg(list, int) == -1);
    assert(va_arg(list, double) == 2.5);
    assert(va_arg(list, long long) == 1ll << 40);
    struct pair pair = va_arg(list, struct pair);
    assert(pair.a == 3 && pair.b == 0.5);
    assert(*va_arg(list, char *) == 'x');
    struct large large = va_arg(list, struct large);
    assert(large.a == 4 && large.b == 5 && large.c == 6);
    struct wide wide = va_arg(list, struct wide);
    assert(wide.x[0] == 7 && wide.x[7] == 8);
    assert((char)va_arg(list, int) == 'c');
    va_end(list);
    return n;
}

static int sum(int n, va_list list) {
    int total = 0;
    while (n-- > 0) total += va_arg(list, int);
    return total;
}

static int twice(int n, ...) {
    va_list list, again;
    va_start(list, n);
    va_copy(again, list);
    int total = sum(n, list) + sum(n, again);
    va_end(again);
    va_end(list);
    return total;
}

static int plain(int a, int b) { return a - b; }

int main(void) {
    struct pair pair = {3, 0.5};
    struct large large = {4, 5, 6};
    struct wide wide = {{7, 0, 0, 0, 0, 0, 0, 8}};
    assert(kinds(9, -1, 2.5, 1ll << 40, pair, "x", large, wide, 'c') == 9);
    assert(twice(0) == 0);
    int (*pointer)(int, ...) = twice;
    int total = 0;
    for (int i = 0; i < 5; i++) total += pointer(3, i, 1, 2);
    assert(total == 50);
    int (*old)() = (int (*)())plain;
    assert(old(5, 3) == 2);
    assert(twice(12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) == 156);
    return 0;
}
