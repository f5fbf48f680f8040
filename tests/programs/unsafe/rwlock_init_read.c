// A read-write lock is initialised while a thread may hold it for reading.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reads(void *arg) {
    (void)arg;
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, reads, 0);
    pthread_rwlock_init(&lock, 0); //~ VIOLATION: mutex-misuse
    pthread_join(t, 0);
    return 0;
}
