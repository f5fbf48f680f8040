// 3.LB. Load buffering in a ring of three.
// No model lets a load wait for later accesses, and a store is seen by all others at once.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant: PLAIN | 7 7 7
//@ variant: RELACQ | 7 7 7
#include "litmus.h"

static shared x, y, z;

thread(p0, r = R(x); A; W(y, 1))
thread(p1, r = R(y); B; W(z, 1))
thread(p2, r = R(z); C; W(x, 1))

litmus3(r0 == 1 && r1 == 1 && r2 == 1)  //~ VIOLATION: assertion
