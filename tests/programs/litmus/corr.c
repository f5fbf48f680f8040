// CoRR: a thread that saw a store does not read an older value.
//@ models: sc tso pso
//@ algorithms: naive optimal
//@ variant: PLAIN | 3 3 3
//@ variant: RELAXED | 3 3 3
#include "litmus.h"

static shared x;

thread(p0, W(x, 1))
thread(p1, r = R(x); r = 10 * r + R(x))

litmus2(r1 == 10)  //~ VIOLATION: assertion
