// One of two fields is never written, and the program goes by it.
#include <assert.h>
#include <stdlib.h>

struct point {
    short x, y;
};

static struct point only_x(short x) {
    struct point made;
    made.x = x;
    return made;
}

int main(void) {
    struct point point = only_x(4);
    assert(point.x == 4);
    assert(point.y == 0); //~ VIOLATION: assertion
    return 0;
}
