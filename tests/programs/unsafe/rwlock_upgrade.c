// Two readers want to become writers: each waits for the other to leave.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *upgrade(void *arg) {
    (void)arg;
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock); //~ VIOLATION: deadlock
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, upgrade, 0);
    upgrade(0);
    pthread_join(t, 0);
    return 0;
}
