// The stores of a thread are in memory when it has ended.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant: PLAIN
//@ variant: RELAXED
//@ variant: EXIT
#include "litmus.h"

static shared x, y;

#ifdef EXIT
#define leave pthread_exit(0)
#else
#define leave
#endif

thread(p0, W(x, 1); W(y, 1); leave)
thread(p1, r = R(y))

litmus2(R(x) == 0 || R(y) == 0)  //~ VIOLATION: assertion
