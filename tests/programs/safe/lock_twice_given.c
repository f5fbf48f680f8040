// Who has given the lock back has it no more: to give it back again is refused.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void *worker(void *unused) {
    (void)unused;
    if (pthread_mutex_trylock(&lock) == 0) {
        assert(pthread_mutex_unlock(&lock) == 0);
        assert(pthread_mutex_unlock(&lock) != 0);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
