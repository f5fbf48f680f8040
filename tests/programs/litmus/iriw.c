// IRIW, independent reads of independent writes. The readers disagree on the order of the stores.
// No model lets a load wait for later accesses, and a store is seen by all others at once.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant: PLAIN | 15 15 15
//@ variant: RELAXED | 15 15 15
//@ variant: SEQCST | 15 15 15
//@ variant: C=full D=full | 15 15 15
#include "litmus.h"

static shared x, y;

thread(p0, W(x, 1))
thread(p1, W(y, 1))
thread(p2, r = R(x); C; r = 10 * r + R(y))
thread(p3, r = R(y); D; r = 10 * r + R(x))

litmus4(r2 == 10 && r3 == 10)  //~ VIOLATION: assertion
