// Of two threads that wait, one is cancelled and one signal is sent: it is not lost, so the
// other one goes on.
//@ algorithms: dpor optimal guided
//@ verdict: bounded
//@ lazy: skip  a wait that a cancellation may end is not in the formulas
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static void unlock(void *held) {
    pthread_mutex_unlock(held);
}

static void *take(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    while (items == 0) pthread_cond_wait(&changed, &mutex);
    items--;
    pthread_cond_signal(&changed);
    pthread_cleanup_pop(1);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, take, 0);
    pthread_create(&two, 0, take, 0);
    pthread_mutex_lock(&mutex);
    items = 2;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_cancel(one);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(items == 0 || items == 1);
}
