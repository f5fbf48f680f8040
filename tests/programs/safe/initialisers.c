// Global initialisers: nested, with addresses and constant expressions.
#include <assert.h>

struct item {
    const char *name;
    int *cell;
    int (*get)(void);
    short codes[3];
};

static int cells[4] = {1, 2, 3};
static int seven(void) { return 7; }
static int *const middle = &cells[1] + 1;
static const struct item items[] = {
    {"one", &cells[0], 0, {1, 2, 3}},
    {.name = "two", .cell = cells + 1, .get = seven},
};

int main(void) {
    assert(*middle == 3 && cells[3] == 0);
    assert(items[0].name[2] == 'e' && items[0].codes[2] == 3 && items[0].get == 0);
    assert(*items[1].cell == 2 && items[1].get() == 7 && items[1].codes[1] == 0);
    return 0;
}
