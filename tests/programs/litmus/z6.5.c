// Z6.5.
// TSO lets the load overtake the store, PSO the second store the first as well.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: PLAIN | 7 8 8
//@ variant[tso,pso]: RELACQ | 7 8 8
//@ variant[tso,pso]: A=full | 7 8 8
//@ variant[tso,pso]: B=full | 7 8 8
//@ variant[pso]: C=full | 7 7 8
//@ variant[tso,pso]: A=full B=full | 7 8 8
//@ variant[pso]: A=full C=full | 7 7 8
//@ variant[pso]: B=full C=full | 7 7 8
//@ variant: A=full B=full C=full | 7 7 7
//@ variant: A=release B=release C=full | 7 7 7
#include "litmus.h"

static shared x, y, z;

thread(p0, W(x, 1); A; W(y, 1))
thread(p1, W(y, 2); B; W(z, 1))
thread(p2, W(z, 2); C; r = R(x))

litmus3(r2 == 0 && R(y) == 2 && R(z) == 2)  //~ VIOLATION: assertion
