// ISA2. Message passing with a thread in between.
// Only PSO lets the second store overtake the first.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[pso]: PLAIN | 7 7 8
//@ variant[pso]: RELAXED | 7 7 8
//@ variant: RELACQ | 7 7 7
//@ variant: SEQCST | 7 7 7
//@ variant: A=full | 7 7 7
//@ variant: A=release | 7 7 7
#include "litmus.h"

static shared x, y, z;

thread(p0, W(x, 1); A; W(y, 1))
thread(p1, r = R(y); B; W(z, 1))
thread(p2, r = R(z); C; r = 10 * r + R(x))

litmus3(r1 == 1 && r2 == 10)  //~ VIOLATION: assertion
