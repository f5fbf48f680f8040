// WRC, write to read causality. The third thread sees the consequence, not the cause.
// No model lets a load wait for later accesses, and a store is seen by all others at once.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant: PLAIN | 7 7 7
//@ variant: RELAXED | 7 7 7
//@ variant: RELACQ | 7 7 7
//@ variant: SEQCST | 7 7 7
//@ variant: B=full C=full | 7 7 7
#include "litmus.h"

static shared x, y;

thread(p0, W(x, 1))
thread(p1, r = R(x); B; W(y, 1))
thread(p2, r = R(y); C; r = 10 * r + R(x))

litmus3(r1 == 1 && r2 == 10)  //~ VIOLATION: assertion
