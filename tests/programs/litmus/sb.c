// SB, store buffering. Both threads read what was there before the other's store.
// TSO and PSO let the load overtake the store.
//@ models: sc tso pso
//@ algorithms: naive optimal
//@ variant[tso,pso]: PLAIN | 3 4 4
//@ variant[tso,pso]: VOLATILE | 3 4 4
//@ variant[tso,pso]: RELAXED | 3 4 4
//@ variant[tso,pso]: RELACQ | 3 4 4
//@ variant: SEQCST | 3 3 3
//@ variant[tso,pso]: A=full | 3 4 4
//@ variant[tso,pso]: B=full | 3 4 4
//@ variant: A=full B=full | 3 3 3
//@ variant: A=sync B=sync | 3 3 3
//@ variant: A=mfence B=mfence | 3 3 3
//@ variant: A=rmw B=rmw | 3 3 3
//@ variant[tso,pso]: A=release B=release | 3 4 4
//@ variant[tso,pso]: A=full B=release | 3 4 4
//@ variant[tso,pso]: A=acquire B=acquire | 3 4 4
//@ variant[tso,pso]: A=acqrel B=acqrel | 3 4 4
//@ variant: RELAXED A=full B=full | 3 3 3
#include "litmus.h"

static shared x, y;

thread(p0, W(x, 1); A; r = R(y))
thread(p1, W(y, 1); B; r = R(x))

litmus2(r0 == 0 && r1 == 0)  //~ VIOLATION: assertion
