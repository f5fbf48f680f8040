// CoWW: stores of one thread to one variable reach memory in their order. The
// reader may miss one of them, but never sees them the other way round.
//@ models: sc tso pso
//@ variant: PLAIN | 6 6 6
//@ variant: RELAXED | 6 6 6
#include "litmus.h"

static shared x;

thread(p0, W(x, 1); W(x, 2))
thread(p1, r = R(x); r = 10 * r + R(x))

litmus2(R(x) == 1 || r1 == 21)  //~ VIOLATION: assertion
