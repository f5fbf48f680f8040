// Destroying a mutex while the other thread is inside.
#include <pthread.h>

static pthread_mutex_t lock;

static void *work(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock); //~ VIOLATION: mutex-misuse
    pthread_mutex_unlock(&lock); //~ VIOLATION: mutex-misuse
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_mutex_init(&lock, 0);
    pthread_create(&t, 0, work, 0);
    pthread_mutex_destroy(&lock); //~ VIOLATION: mutex-misuse
    pthread_join(t, 0);
    return 0;
}
