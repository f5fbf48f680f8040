// A ring of one slot between a producer and a consumer that gives up when there
// is nothing. PSO needs the slot in memory before the tail (A). The consumer
// reads before it gives the slot back, which no model turns round.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[pso]: VOLATILE
//@ variant[pso]: RELAXED
//@ variant: RELACQ
//@ variant: SEQCST
//@ variant: A=full
//@ variant: A=release
#include "litmus.h"

static shared head, tail;
static int slot;

static void put(int value) {
    int at = R(tail);
    if (at - R(head) == 1)
        return;
    slot = value;
    A;
    W(tail, at + 1);
}

static int take(void) {
    int at = R(head), value;
    if (R(tail) == at)
        return 0;
    value = slot;
    W(head, at + 1);
    return value;
}

thread(p0, put(1); put(2))
thread(p1, r = take(); if (r) r = 10 * r + take(); else r = 10)

litmus2(r1 != 10 && r1 != 12)  //~ VIOLATION: assertion
