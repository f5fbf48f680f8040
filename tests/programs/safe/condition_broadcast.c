// A broadcast wakes every thread that waits.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static int go, woken;

static void *wait_for_go(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    while (!go)
        pthread_cond_wait(&changed, &lock);
    woken++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_cond_init(&changed, 0);
    pthread_create(&a, 0, wait_for_go, 0);
    pthread_create(&b, 0, wait_for_go, 0);
    pthread_mutex_lock(&lock);
    go = 1;
    pthread_mutex_unlock(&lock);
    pthread_cond_broadcast(&changed);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(woken == 2);
    pthread_cond_destroy(&changed);
    return 0;
}
