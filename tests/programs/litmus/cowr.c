// CoWR: a thread reads its own store or a later one, whether that is still in
// the store buffer or not. One that overwrites its store stays.
//@ models: sc tso pso
//@ algorithms: naive optimal
//@ variant: PLAIN | 3 3 3
//@ variant: RELAXED | 3 3 3
#include "litmus.h"

static shared x;

thread(p0, W(x, 1); r = R(x))
thread(p1, W(x, 2))

litmus2(r0 == 0 || (r0 == 2 && R(x) == 1))  //~ VIOLATION: assertion
