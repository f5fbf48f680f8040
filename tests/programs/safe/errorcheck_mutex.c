// An error-checking mutex tells of misuse instead of suffering it.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void *stranger(void *arg) {
    (void)arg;
    assert(pthread_mutex_unlock(&lock) == EPERM);
    return 0;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &attr);
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_lock(&lock) == EDEADLK);
    pthread_t t;
    pthread_create(&t, 0, stranger, 0);
    pthread_join(t, 0);
    assert(pthread_mutex_unlock(&lock) == 0);
    return 0;
}
