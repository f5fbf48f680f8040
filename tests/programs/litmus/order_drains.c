// Operations that are a read-modify-write or a call of the system in C libraries: they
// drain the store buffer, whoever else uses the object.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: A=none
//@ variant: A=rwlock
//@ variant: A=spin
//@ variant: A=semaphore
//@ variant: A=signal
//@ variant: A=condition_destroy
//@ variant: A=barrier
//@ variant: A=barrier_destroy
//@ variant: A=once
#include <semaphore.h>
#include "litmus.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinlock;
static sem_t tickets;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t meeting;
static pthread_once_t first = PTHREAD_ONCE_INIT;

static void nothing(void) {}

#define rwlock pthread_rwlock_rdlock(&lock)
#define spin pthread_spin_lock(&spinlock)
#define semaphore sem_post(&tickets)
#define signal pthread_cond_signal(&condition)
#define condition_destroy pthread_cond_destroy(&condition)
#define barrier pthread_barrier_wait(&meeting)
#define barrier_destroy pthread_barrier_destroy(&meeting)
#define once pthread_once(&first, nothing)

static shared x, y;

thread(p0, W(x, 1); A; r = R(y))
thread(p1, W(y, 1); full; r = R(x))

int main(void) {
    pthread_t t0, t1;
    long r0, r1;
    pthread_spin_init(&spinlock, 0);
    sem_init(&tickets, 0, 1);
    pthread_barrier_init(&meeting, 0, 1);
    start(0), start(1);
    finish(0), finish(1);
    assert(!(r0 == 0 && r1 == 0)); //~ VIOLATION: assertion
    return 0;
}
