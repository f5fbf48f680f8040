// A thread is cancelled while it waits for a condition variable: it has the mutex again when its
// handler runs, which gives it back.
//@ verdict: bounded
//@ lazy: skip  a wait that a cancellation may end is not in the formulas
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, unlocked;

static void unlock(void *held) {
    unlocked++;
    assert(pthread_mutex_unlock(held) == 0);
}

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    while (!ready) pthread_cond_wait(&changed, &mutex);
    pthread_cleanup_pop(1);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, work, 0);
    assert(pthread_cancel(thread) == 0);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED && unlocked == 1);
    assert(pthread_mutex_trylock(&mutex) == 0);
}
