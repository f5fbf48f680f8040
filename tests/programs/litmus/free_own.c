// That a block is freed comes to memory after the thread's own stores, which never come
// late.
//@ models: sc tso pso
//@ algorithms: naive optimal
#include <stdlib.h>
#include "litmus.h"

static shared *block;

thread(p0, *block = 1; free((void *)block))
thread(p1, r = 1)

int main(void) {
    pthread_t t0, t1;
    long r0, r1;
    block = malloc(sizeof *block);
    if (!block)
        return 0;
    start(0), start(1);
    finish(0), finish(1);
    return 0;
}
