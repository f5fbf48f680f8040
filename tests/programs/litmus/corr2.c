// CoRR2: readers of one variable agree on the order of its stores.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant: PLAIN
//@ variant: RELAXED
#include "litmus.h"

static shared x;

thread(p0, W(x, 1))
thread(p1, W(x, 2))
thread(p2, r = R(x); r = 10 * r + R(x))
thread(p3, r = R(x); r = 10 * r + R(x))

litmus4(r2 == 12 && r3 == 21)  //~ VIOLATION: assertion
