// A loop made by a jump: the place is tried again until it works. What the loop counts with is
// volatile, or in memory that is no local variable.
#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf again;

struct attempt {
    int number;
    int failures;
};

static void try_it(struct attempt *attempt) {
    if (attempt->number < 3) {
        attempt->failures++;
        longjmp(again, attempt->number + 1);
    }
}

static int counted(void) {
    volatile int turns = 0;
    setjmp(again);
    turns++;
    if (turns < 4) longjmp(again, 1);
    return turns;
}

int main(void) {
    struct attempt *attempt = calloc(1, sizeof *attempt);
    attempt->number = setjmp(again);
    try_it(attempt);
    assert(attempt->number == 3 && attempt->failures == 3);
    free(attempt);
    assert(counted() == 4);
}
