// What is counted under the lock decides nothing but whether it is given back.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *add(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock); //~ VIOLATION: deadlock
    if (++count == 2)
        return 0;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, add, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0); //~ VIOLATION: deadlock
    return 0;
}
