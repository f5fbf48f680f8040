// A mutex that checks refuses who has not got it, whoever else has. It is only ever tried for,
// and given back also by those who failed.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int count;

static int leave(pthread_mutex_t *mutex) { return pthread_mutex_unlock(mutex); }

static void *worker(void *unused) {
    (void)unused;
    int got = pthread_mutex_trylock(&lock) == 0;
    if (got) {
        int before = count;
        count = before + 1;
        assert(count == before + 1);
    }
    assert((leave(&lock) == 0) == got);
    assert(leave(&lock) != 0);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count >= 1);
    return 0;
}
