// R. The later store to y wins, yet x is not seen.
// TSO lets the load overtake the store, PSO the second store the first as well.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: PLAIN | 3 4 4
//@ variant[tso,pso]: RELAXED | 3 4 4
//@ variant[tso,pso]: RELACQ | 3 4 4
//@ variant: SEQCST | 3 3 3
//@ variant[tso,pso]: A=full | 3 4 4
//@ variant[pso]: B=full | 3 3 4
//@ variant: A=full B=full | 3 3 3
//@ variant: A=release B=full | 3 3 3
#include "litmus.h"

static shared x, y;

thread(p0, W(x, 1); A; W(y, 1))
thread(p1, W(y, 2); B; r = R(x))

litmus2(r1 == 0 && R(y) == 2)  //~ VIOLATION: assertion
