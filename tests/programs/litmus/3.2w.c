// 3.2W. 2+2W in a ring of three.
// Only PSO lets the second store overtake the first.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[pso]: PLAIN | 7 7 8
//@ variant: RELACQ | 7 7 7
//@ variant[pso]: A=full | 7 7 8
//@ variant[pso]: A=full B=full | 7 7 8
//@ variant: A=full B=full C=full | 7 7 7
//@ variant: A=release B=release C=release | 7 7 7
#include "litmus.h"

static shared x, y, z;

thread(p0, W(x, 2); A; W(y, 1))
thread(p1, W(y, 2); B; W(z, 1))
thread(p2, W(z, 2); C; W(x, 1))

litmus3(R(x) == 2 && R(y) == 2 && R(z) == 2)  //~ VIOLATION: assertion
