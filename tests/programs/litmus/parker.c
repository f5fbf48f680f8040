// The fast path of a parker: a thread takes a permit without the lock and then
// looks for work. Without a fence at A the store that takes the permit may
// overwrite one given after the look: the wake-up is lost.
//@ models: sc tso pso
//@ algorithms: naive optimal
//@ variant[tso,pso]: VOLATILE
//@ variant[tso,pso]: RELACQ
//@ variant: SEQCST
//@ variant: A=full
#include "litmus.h"

static shared permit = 1, work;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void park(void) {
    if (R(permit) > 0) {
        W(permit, 0);
        A;
    }
}

static void unpark(void) {
    pthread_mutex_lock(&lock);
    W(permit, 1);
    pthread_mutex_unlock(&lock);
}

thread(p0, park(); r = R(work))
thread(p1, W(work, 1); unpark())

litmus2(r0 == 0 && R(permit) == 0)  //~ VIOLATION: assertion
