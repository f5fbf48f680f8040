// W+RWC.
// TSO lets the load overtake the store, PSO the second store the first as well.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: PLAIN | 7 8 8
//@ variant[tso,pso]: RELACQ | 7 8 8
//@ variant[tso,pso]: A=full | 7 8 8
//@ variant[pso]: C=full | 7 7 8
//@ variant: A=full C=full | 7 7 7
//@ variant: A=release C=full | 7 7 7
#include "litmus.h"

static shared x, y, z;

thread(p0, W(x, 1); A; W(y, 1))
thread(p1, r = R(y); B; r = 10 * r + R(z))
thread(p2, W(z, 1); C; r = R(x))

litmus3(r1 == 10 && r2 == 0)  //~ VIOLATION: assertion
