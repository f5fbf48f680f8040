// Structs by value: assigned, passed and returned.
#include <assert.h>

struct point {
    int x, y;
};
struct line {
    struct point from, to;
    char name[12];
};

static struct point shift(struct point p, int by) {
    p.x += by;
    p.y += by;
    return p;
}

static int width(struct line line) { return line.to.x - line.from.x; }

int main(void) {
    struct line a = {{1, 2}, {3, 4}, "first"};
    struct line b = a;
    b.to = shift(b.to, 10);
    assert(a.to.x == 3 && b.to.x == 13 && b.to.y == 14);
    assert(width(a) == 2 && width(b) == 12);
    assert(b.name[4] == 't');
    return 0;
}
