// Two locks taken in opposite order.
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;

static void *up(void *arg) {
    (void)arg;
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second); //~ VIOLATION: deadlock
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return 0;
}

static void *down(void *arg) {
    (void)arg;
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first); //~ VIOLATION: deadlock
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, up, 0);
    pthread_create(&b, 0, down, 0);
    pthread_join(a, 0); //~ VIOLATION: deadlock
    pthread_join(b, 0);
    return 0;
}
