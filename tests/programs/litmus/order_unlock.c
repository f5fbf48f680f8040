// Giving a mutex back drains the store buffer.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: A=none
//@ variant: A=unlock
#include "litmus.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#define unlock pthread_mutex_unlock(&mutex)

static shared x, y;

thread(p0, pthread_mutex_lock(&mutex); W(x, 1); A; r = R(y))
thread(p1, W(y, 1); full; r = R(x))

litmus2(r0 == 0 && r1 == 0)  //~ VIOLATION: assertion
