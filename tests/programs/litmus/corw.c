// CoRW: a thread that saw a store overwrites it with its own later one.
//@ models: sc tso pso
//@ variant: PLAIN | 3 3 3
//@ variant: RELAXED | 3 3 3
#include "litmus.h"

static shared x;

thread(p0, r = R(x); W(x, 1))
thread(p1, W(x, 2))

litmus2(r0 == 1 || (r0 == 2 && R(x) == 2))  //~ VIOLATION: assertion
