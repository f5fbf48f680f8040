// A flag under a mutex and a condition variable that tells of it.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, data;

static void *produce(void *arg) {
    (void)arg;
    data = 7;
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, produce, 0);
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    assert(data == 7);
    pthread_join(t, 0);
    pthread_cond_destroy(&changed);
    return 0;
}
