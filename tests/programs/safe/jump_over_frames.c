// Errors leave several functions at once, through a pointer and through recursion, and a
// handler passes them on to the one around it.
#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>

typedef struct handler {
    jmp_buf where;
    struct handler *outer;
} handler;

static handler *innermost;
static int cleaned;

static _Noreturn void raise_error(int code) {
    longjmp(innermost->where, code);
}

static int depth(int n, int limit) {
    if (n > limit) raise_error(n);
    return depth(n + 1, limit);
}

static void with_block(int limit, int (*visit)(int, int)) {
    handler mine;
    char *volatile block = malloc(8);
    mine.outer = innermost;
    innermost = &mine;
    int code = setjmp(mine.where);
    if (code == 0) visit(0, limit);
    innermost = mine.outer;
    free(block);
    cleaned++;
    if (code != 0) raise_error(code + 10);
}

int main(void) {
    handler top = {.outer = NULL};
    volatile int caught = 0;
    innermost = &top;
    switch (setjmp(top.where)) {
    case 0:
        with_block(2, depth);
        break;
    case 13:
        caught++;
        with_block(4, depth);
        break;
    default:
        caught += 2;
    }
    assert(cleaned == 2 && caught == 3);
}
