// Unlocking a mutex that another thread holds.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *stranger(void *arg) {
    (void)arg;
    pthread_mutex_unlock(&lock); //~ VIOLATION: mutex-misuse
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&lock);
    pthread_create(&t, 0, stranger, 0);
    pthread_join(t, 0);
    return 0;
}
