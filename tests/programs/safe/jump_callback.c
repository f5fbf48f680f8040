// A comparison that is called by a library function jumps out of it.
#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>

struct context {
    jmp_buf where;
    int limit;
};

static struct context *context;

static int compare(const void *a, const void *b) {
    if (--context->limit == 0) longjmp(context->where, 9);
    return *(const int *)a - *(const int *)b;
}

int main(void) {
    int numbers[3] = {3, 1, 2};
    volatile int rounds = 0;
    context = malloc(sizeof *context);
again:
    context->limit = 2 + rounds * 10;
    if (setjmp(context->where) == 9) {
        rounds++;
        if (rounds < 2) goto again;
    } else {
        qsort(numbers, 3, sizeof *numbers, compare);
    }
    assert(rounds == 1 && numbers[0] == 1 && numbers[2] == 3);
    free(context);
}
