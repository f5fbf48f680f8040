// Of two threads that each try for the lock and keep it, one gets it.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int got[2];

static void *worker(void *number) {
    got[(long)number] = pthread_mutex_trylock(&lock) == 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, (void *)0);
    pthread_create(&b, 0, worker, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(got[0] + got[1] == 1);
    return 0;
}
