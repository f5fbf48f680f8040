// Semaphores, condition variables, read-write locks, once: each orders what it is
// there for. A read without the lock would race.
//@ models: sc tso pso
//@ algorithms: dpor optimal
//@ args: --check race
#include <pthread.h>
#include <semaphore.h>

static sem_t full;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int item, ready, entry, set;

static void setup(void) { set = 1; }

static void *work(void *arg) {
    pthread_once(&once, setup);
    item = set;
    sem_post(&full);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_rwlock_wrlock(&table);
    entry++;
    pthread_rwlock_unlock(&table);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&full, 0, 0);
    pthread_create(&t, 0, work, 0);
    pthread_once(&once, setup);
    sem_wait(&full);
    int seen = item + set;
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_rwlock_rdlock(&table);
    seen += entry;
    pthread_rwlock_unlock(&table);
    pthread_join(t, 0);
    return seen < 0;
}
