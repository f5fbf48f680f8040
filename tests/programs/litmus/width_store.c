// Under PSO a store whose bytes overlap those of another that waits (but are not
// the same) waits until that one is in memory: bytes never go back.
//@ models: sc tso pso
//@ algorithms: naive optimal
//@ variant: OVERLAP
//@ variant[pso]: APART
#include "litmus.h"

static union { short half; char bytes[2]; } x;

#ifdef OVERLAP
thread(p0, x.half = 0x0101; x.bytes[0] = 2)
#else
thread(p0, x.bytes[1] = 1; x.bytes[0] = 2)
#endif
thread(p1, r = *(volatile char *)&x.bytes[0]; r = 10 * r + *(volatile char *)&x.bytes[1])

litmus2(r1 == 20 || x.bytes[0] != 2)  //~ VIOLATION: assertion
