// Z6.1.
// Only PSO lets the second store overtake the first.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[pso]: PLAIN | 7 7 8
//@ variant: RELACQ | 7 7 7
//@ variant[pso]: A=full | 7 7 8
//@ variant[pso]: B=full | 7 7 8
//@ variant: A=full B=full | 7 7 7
//@ variant: A=release B=release | 7 7 7
#include "litmus.h"

static shared x, y, z;

thread(p0, W(x, 2); A; W(y, 1))
thread(p1, W(y, 2); B; W(z, 1))
thread(p2, r = R(z); C; W(x, 1))

litmus3(r2 == 1 && R(x) == 2 && R(y) == 2)  //~ VIOLATION: assertion
