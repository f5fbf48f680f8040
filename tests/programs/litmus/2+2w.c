// 2+2W. In both variables the first store of a thread wins.
// Only PSO lets the second store overtake the first.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[pso]: PLAIN | 3 3 4
//@ variant[pso]: RELAXED | 3 3 4
//@ variant: RELACQ | 3 3 3
//@ variant: SEQCST | 3 3 3
//@ variant[pso]: A=full | 3 3 4
//@ variant[pso]: B=full | 3 3 4
//@ variant: A=full B=full | 3 3 3
//@ variant: A=release B=release | 3 3 3
#include "litmus.h"

static shared x, y;

thread(p0, W(x, 1); A; W(y, 2))
thread(p1, W(y, 1); B; W(x, 2))

litmus2(R(x) == 1 && R(y) == 1)  //~ VIOLATION: assertion
