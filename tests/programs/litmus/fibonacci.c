// Two threads add each other's variable three times. Stores that wait make reads
// older, so no model gets further than SC: to the 8th number.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant: VOLATILE
//@ variant[sc,tso,pso]: VOLATILE LIMIT=20
#include "litmus.h"

#ifndef LIMIT
#define LIMIT 21
#endif

static shared i = 1, j = 1;

thread(p0, for (int k = 0; k < 3; k++) W(i, R(i) + R(j)))
thread(p1, for (int k = 0; k < 3; k++) W(j, R(j) + R(i)))

litmus2(i > LIMIT || j > LIMIT)  //~ VIOLATION: assertion
