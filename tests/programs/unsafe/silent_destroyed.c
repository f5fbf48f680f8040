// The mutex is destroyed while a thread may still count under it, if it comes to that.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, late;

static void *add(void *arg) {
    (void)arg;
    if (late) {
        pthread_mutex_lock(&lock); //~ VIOLATION: mutex-misuse
        count++;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    late = 1;
    pthread_mutex_destroy(&lock); //~ VIOLATION: mutex-misuse
    pthread_join(t, 0);
    return 0;
}
