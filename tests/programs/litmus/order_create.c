// Creating a thread drains the store buffer.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: A=none
//@ variant: A=create
#include "litmus.h"

static pthread_t child;
static void *nothing(void *arg) { return arg; }
#define create pthread_create(&child, 0, nothing, 0)

static shared x, y;

thread(p0, W(x, 1); A; r = R(y))
thread(p1, W(y, 1); full; r = R(x))

litmus2(r0 == 0 && r1 == 0)  //~ VIOLATION: assertion
