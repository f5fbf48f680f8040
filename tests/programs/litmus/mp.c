// MP, message passing. The flag is there, the message is not.
// Only PSO lets the second store overtake the first.
//@ models: sc tso pso
//@ algorithms: naive optimal
//@ variant[pso]: PLAIN | 3 3 4
//@ variant[pso]: VOLATILE | 3 3 4
//@ variant[pso]: RELAXED | 3 3 4
//@ variant: RELACQ | 3 3 3
//@ variant: SEQCST | 3 3 3
//@ variant: A=full | 3 3 3
//@ variant: A=sync | 3 3 3
//@ variant: A=mfence | 3 3 3
//@ variant: A=rmw | 3 3 3
//@ variant: A=release | 3 3 3
//@ variant[pso]: A=acquire | 3 3 4
//@ variant: A=acqrel | 3 3 3
//@ variant: RELAXED A=full | 3 3 3
//@ variant: RELAXED A=release | 3 3 3
//@ variant[pso]: B=full | 3 3 4
#include "litmus.h"

static shared x, y;

thread(p0, W(x, 1); A; W(y, 1))
thread(p1, r = R(y); B; r = 10 * r + R(x))

litmus2(r1 == 10)  //~ VIOLATION: assertion
