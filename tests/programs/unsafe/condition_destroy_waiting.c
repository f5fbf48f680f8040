// A condition variable that is destroyed while a thread waits for it.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *wait_for_it(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&changed, &lock); //~ VIOLATION: mutex-misuse
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, wait_for_it, 0);
    pthread_cond_destroy(&changed); //~ VIOLATION: mutex-misuse
    pthread_join(t, 0);
    return 0;
}
