// A thread releases a read lock that another one holds.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *stranger(void *arg) {
    (void)arg;
    pthread_rwlock_unlock(&lock); //~ VIOLATION: mutex-misuse
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&t, 0, stranger, 0);
    pthread_join(t, 0);
    return 0;
}
