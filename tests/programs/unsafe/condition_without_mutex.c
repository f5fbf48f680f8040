// Waits without holding the mutex.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *signal_it(void *arg) {
    (void)arg;
    pthread_cond_signal(&changed);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, signal_it, 0);
    pthread_cond_wait(&changed, &lock); //~ VIOLATION: mutex-misuse
    pthread_join(t, 0);
    return 0;
}
