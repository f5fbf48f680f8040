// The flag is set without the mutex: the signal may come between the test and the
// wait, and wakes nobody.
//@ models: sc tso pso
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile int ready;

static void *produce(void *arg) {
    (void)arg;
    ready = 1;
    pthread_cond_signal(&changed);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, produce, 0);
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock); //~ VIOLATION: deadlock
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}
