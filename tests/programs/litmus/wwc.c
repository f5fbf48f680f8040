// WWC.
// No model lets a load wait for later accesses, and a store is seen by all others at once.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant: PLAIN | 9 9 9
//@ variant: RELACQ | 9 9 9
#include "litmus.h"

static shared x, y;

thread(p0, W(x, 2))
thread(p1, r = R(x); B; W(y, 1))
thread(p2, r = R(y); C; W(x, 1))

litmus3(r1 == 2 && r2 == 1 && R(x) == 2)  //~ VIOLATION: assertion
