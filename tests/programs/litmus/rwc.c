// RWC, read to write causality.
// TSO and PSO let the load overtake the store.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: PLAIN | 7 8 8
//@ variant[tso,pso]: RELAXED | 7 8 8
//@ variant[tso,pso]: RELACQ | 7 8 8
//@ variant: SEQCST | 7 7 7
//@ variant: C=full | 7 7 7
#include "litmus.h"

static shared x, y;

thread(p0, W(x, 1))
thread(p1, r = R(x); B; r = 10 * r + R(y))
thread(p2, W(y, 1); C; r = R(x))

litmus3(r1 == 10 && r2 == 0)  //~ VIOLATION: assertion
