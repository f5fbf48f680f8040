// Taking a mutex, even one nobody else uses, drains the store buffer.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: A=none
//@ variant: A=lock
#include "litmus.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#define lock pthread_mutex_lock(&mutex)

static shared x, y;

thread(p0, W(x, 1); A; r = R(y))
thread(p1, W(y, 1); full; r = R(x))

litmus2(r0 == 0 && r1 == 0)  //~ VIOLATION: assertion
