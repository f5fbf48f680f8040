// Operations that are loads and stores in C libraries, or none at all: they leave the
// store buffer as it is, and the load behind them overtakes the store before them.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: A=mutex_init
//@ variant[tso,pso]: A=mutex_destroy
//@ variant[tso,pso]: A=rwlock_init
//@ variant[tso,pso]: A=rwlock_destroy
//@ variant[tso,pso]: A=spin_init
//@ variant[tso,pso]: A=spin_destroy
//@ variant[tso,pso]: A=semaphore_init
//@ variant[tso,pso]: A=semaphore_value
//@ variant[tso,pso]: A=semaphore_destroy
//@ variant[tso,pso]: A=condition_init
//@ variant[tso,pso]: A=barrier_init
//@ variant[tso,pso]: A=once_done
//@ variant[tso,pso]: A=give_back
//@ variant[tso,pso]: A=give_back_private
//@ variant[tso,pso]: A=resize
//@ variant[tso,pso]: A=scope
#include <semaphore.h>
#include <stdlib.h>
#include "litmus.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static pthread_cond_t condition;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int count;
static int *block;
static int *volatile published;

static void nothing(void) {}
static void leave(void) {
    int local = 1;
    published = &local;
}

#define mutex_init pthread_mutex_init(&mutex, 0)
#define mutex_destroy pthread_mutex_destroy(&mutex)
#define rwlock_init pthread_rwlock_init(&rwlock, 0)
#define rwlock_destroy pthread_rwlock_destroy(&rwlock)
#define spin_init pthread_spin_init(&spin, 0)
#define spin_destroy pthread_spin_destroy(&spin)
#define semaphore_init sem_init(&semaphore, 0, 1)
#define semaphore_value sem_getvalue(&semaphore, &count)
#define semaphore_destroy sem_destroy(&semaphore)
#define condition_init pthread_cond_init(&condition, 0)
#define barrier_init pthread_barrier_init(&barrier, 0, 1)
#define once_done pthread_once(&once, nothing)
#define give_back free(block)
#define give_back_private free(malloc(4))
#define resize block = realloc(block, 8)
#define scope leave()

static shared x, y;

thread(p0, W(x, 1); A; r = R(y))
thread(p1, W(y, 1); full; r = R(x))

int main(void) {
    pthread_t t0, t1;
    long r0, r1;
    pthread_spin_init(&spin, 0);
    sem_init(&semaphore, 0, 1);
    pthread_once(&once, nothing);
    block = malloc(4);
    start(0), start(1);
    finish(0), finish(1);
    assert(!(r0 == 0 && r1 == 0)); //~ VIOLATION: assertion
    return 0;
}
