// Two threads add each other's variable three times. Under SC at least one sees
// what the other did; with stores that wait both may add the first value only.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: VOLATILE
//@ variant[tso,pso]: RELACQ
//@ variant[tso,pso]: A=full
//@ variant: A=full B=full
//@ variant: SEQCST
#include "litmus.h"

static shared i = 1, j = 1;

thread(p0, for (int k = 0; k < 3; k++) { W(i, R(i) + R(j)); A; })
thread(p1, for (int k = 0; k < 3; k++) { W(j, R(j) + R(i)); B; })

litmus2(i + j == 8)  //~ VIOLATION: assertion
