// A wait with a deadline ends, woken or not, with the mutex held.
//@ models: sc tso pso
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *produce(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t;
    struct timespec soon = {0, 0};
    pthread_create(&t, 0, produce, 0);
    pthread_mutex_lock(&lock);
    if (!ready) {
        int error = pthread_cond_timedwait(&changed, &lock, &soon);
        assert(error == 0 || error == ETIMEDOUT);
        assert(ready || error == ETIMEDOUT);
    }
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}
