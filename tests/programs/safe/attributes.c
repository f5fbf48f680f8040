// Attribute objects that other threads could see: a mutex that is made from one,
// and a thread that is created detached.
//@ models: sc tso pso
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutexattr_t kind;
static pthread_attr_t detached;
static sem_t done;

static void *work(void *arg) {
    pthread_mutex_t lock;
    (void)arg;
    pthread_mutex_init(&lock, &kind);
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_lock(&lock) == EDEADLK);
    pthread_mutex_unlock(&lock);
    sem_post(&done);
    return 0;
}

int main(void) {
    pthread_t t;
    int state;
    sem_init(&done, 0, 0);
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_attr_getdetachstate(&detached, &state);
    assert(state == PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &detached, work, 0);
    sem_wait(&done);
    assert(pthread_join(t, 0) == EINVAL);
    return 0;
}
