// A thread fills a block only it knows and publishes its address. Under PSO the
// address may get there first: the block counts as shared from its first store.
//@ models: sc tso pso
//@ algorithms: naive optimal
//@ variant[pso]: PLAIN
//@ variant: A=full
//@ variant: A=release
#include <stdlib.h>
#include "litmus.h"

static int *block;

static void fill(void) {
    int *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        exit(1);
    *fresh = 1;
    A;
    block = fresh;
}

static int look(void) {
    int *seen = block;
    return seen ? *seen : 1;
}

thread(p0, fill())
thread(p1, r = look())

litmus2(r1 == 0)  //~ VIOLATION: assertion
