// An early return leaves the mutex locked.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int closed;

static void *work(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock); //~ VIOLATION: deadlock
    if (closed)
        return 0;
    closed = 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_create(&c, 0, work, 0);
    pthread_join(a, 0); //~ VIOLATION: deadlock
    pthread_join(b, 0); //~ VIOLATION: deadlock
    pthread_join(c, 0); //~ VIOLATION: deadlock
    return 0;
}
