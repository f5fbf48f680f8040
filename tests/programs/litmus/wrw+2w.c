// WRW+2W.
// Only PSO lets the second store overtake the first.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[pso]: PLAIN | 9 9 12
//@ variant: RELACQ | 9 9 9
//@ variant: C=full | 9 9 9
//@ variant: C=release | 9 9 9
#include "litmus.h"

static shared x, y;

thread(p0, W(x, 2))
thread(p1, r = R(x); B; W(y, 1))
thread(p2, W(y, 2); C; W(x, 1))

litmus3(r1 == 2 && R(x) == 2 && R(y) == 2)  //~ VIOLATION: assertion
