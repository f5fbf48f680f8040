// A thread reads its own store while it waits, without bringing it to memory.
//@ models: sc tso pso
//@ algorithms: naive optimal
//@ variant[tso,pso]: PLAIN
//@ variant[tso,pso]: RELACQ
//@ variant: SEQCST
//@ variant: A=full B=full
#include "litmus.h"

static shared x, y;

thread(p0, W(x, 1); A; r = R(x); r = 10 * r + R(y))
thread(p1, W(y, 1); B; r = R(y); r = 10 * r + R(x))

litmus2(r0 == 10 && r1 == 10)  //~ VIOLATION: assertion
