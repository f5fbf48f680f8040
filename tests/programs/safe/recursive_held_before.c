// A recursive mutex is locked before there is another thread, and again afterwards.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static int x;

static void *other(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t t;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_lock(&mutex);
    pthread_create(&t, 0, other, 0);
    pthread_mutex_lock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
