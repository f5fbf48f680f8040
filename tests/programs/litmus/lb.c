// LB, load buffering. Both threads read what the other stores later.
// No model lets a load wait for later accesses, and a store is seen by all others at once.
//@ models: sc tso pso
//@ algorithms: naive dpor optimal
//@ variant: PLAIN | 3 3 3
//@ variant: RELAXED | 3 3 3
//@ variant: RELACQ | 3 3 3
//@ variant: SEQCST | 3 3 3
//@ variant: A=full B=full | 3 3 3
#include "litmus.h"

static shared x, y;

thread(p0, r = R(x); A; W(y, 1))
thread(p1, r = R(y); B; W(x, 1))

litmus2(r0 == 1 && r1 == 1)  //~ VIOLATION: assertion
