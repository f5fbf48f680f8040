// WRW+WR.
// TSO and PSO let the load overtake the store.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: PLAIN | 7 8 8
//@ variant[tso,pso]: RELACQ | 7 8 8
//@ variant: C=full | 7 7 7
#include "litmus.h"

static shared x, y;

thread(p0, W(x, 1))
thread(p1, r = R(x); B; W(y, 1))
thread(p2, W(y, 2); C; r = R(x))

litmus3(r1 == 1 && r2 == 0 && R(y) == 2)  //~ VIOLATION: assertion
