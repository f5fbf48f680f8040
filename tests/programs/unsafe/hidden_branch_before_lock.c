// The value only decides whether a lock is taken, and that decides whether the other
// thread gets it.
#include <pthread.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t two = PTHREAD_MUTEX_INITIALIZER;
static int careful = 1;

static void *first(void *arg) {
    pthread_mutex_lock(&one);
    if (!careful) {
        pthread_mutex_lock(&two); //~ VIOLATION: deadlock
        pthread_mutex_unlock(&two);
    }
    pthread_mutex_unlock(&one);
    return arg;
}

static void *second(void *arg) {
    careful = 0;
    pthread_mutex_lock(&two);
    pthread_mutex_lock(&one); //~ VIOLATION: deadlock
    pthread_mutex_unlock(&one);
    pthread_mutex_unlock(&two);
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, first, 0);
    pthread_create(&t2, 0, second, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
