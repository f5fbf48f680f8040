// What was written before the wait tells others that the thread waits: a wake-up without
// a signal shows between the unlock and the signal.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, waiting, announced;

static void *waiter(void *arg) {
    pthread_mutex_lock(&m);
    waiting = 1;
    while (!ready)
        pthread_cond_wait(&c, &m);
    assert(announced); //~ VIOLATION: assertion
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    pthread_mutex_lock(&m);
    int early = waiting;
    if (early)
        ready = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    announced = 1;
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
