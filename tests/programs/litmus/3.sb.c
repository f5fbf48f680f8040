// 3.SB. Store buffering in a ring of three.
// TSO and PSO let the load overtake the store.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: PLAIN | 7 8 8
//@ variant[tso,pso]: RELACQ | 7 8 8
//@ variant[tso,pso]: A=full | 7 8 8
//@ variant[tso,pso]: A=full B=full | 7 8 8
//@ variant: A=full B=full C=full | 7 7 7
#include "litmus.h"

static shared x, y, z;

thread(p0, W(x, 1); A; r = R(y))
thread(p1, W(y, 1); B; r = R(z))
thread(p2, W(z, 1); C; r = R(x))

litmus3(r0 == 0 && r1 == 0 && r2 == 0)  //~ VIOLATION: assertion
