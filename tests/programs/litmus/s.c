// S. The store after the flag was seen is overwritten by the one before the flag.
// Only PSO lets the second store overtake the first.
//@ models: sc tso pso
//@ algorithms: naive dpor optimal
//@ variant[pso]: PLAIN | 3 3 4
//@ variant[pso]: RELAXED | 3 3 4
//@ variant: RELACQ | 3 3 3
//@ variant: SEQCST | 3 3 3
//@ variant: A=full | 3 3 3
//@ variant: A=release | 3 3 3
#include "litmus.h"

static shared x, y;

thread(p0, W(x, 2); A; W(y, 1))
thread(p1, r = R(y); B; W(x, 1))

litmus2(r1 == 1 && R(x) == 2)  //~ VIOLATION: assertion
