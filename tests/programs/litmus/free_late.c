// A thread is told that a block is no longer used and frees it. Under PSO the
// last store to the block may still be on its way.
//@ models: sc tso pso
//@ algorithms: naive optimal
#include <stdlib.h>
#include "litmus.h"

static shared *block, done;

thread(p0, *block = 1; W(done, 1))  //~ VIOLATION[pso]: use-after-free
thread(p1, if (R(done)) free((void *)block))

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
