// A load takes its bytes from a store that waits if that store has all of them
// (NARROW). If it has only some (WIDE), the load waits until they are in memory,
// and so do later loads.
//@ models: sc tso pso
//@ algorithms: naive optimal
//@ variant[tso,pso]: NARROW
//@ variant: WIDE
#include "litmus.h"

static union { int word; char bytes[4]; } x;
static shared y;

#ifdef WIDE
thread(p0, x.bytes[1] = 1; r = x.word != 256; r = 10 * r + R(y))
#else
thread(p0, x.word = 256; r = x.bytes[1] != 1; r = 10 * r + R(y))
#endif
thread(p1, W(y, 1); full; r = x.bytes[1])

litmus2(r0 == 0 && r1 == 0)  //~ VIOLATION: assertion
