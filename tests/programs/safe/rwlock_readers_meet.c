// Two readers hold the lock at the same time, and attempts to write fail while
// they do.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_rwlock_t lock;
static sem_t here[2];

static void *read_with_other(void *arg) {
    int me = arg != 0;
    pthread_rwlock_rdlock(&lock);
    sem_post(&here[me]);
    sem_wait(&here[!me]);
    assert(pthread_rwlock_trywrlock(&lock) != 0);
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_rwlock_init(&lock, 0);
    sem_init(&here[0], 0, 0);
    sem_init(&here[1], 0, 0);
    pthread_create(&t, 0, read_with_other, 0);
    read_with_other(&lock);
    pthread_join(t, 0);
    assert(pthread_rwlock_trywrlock(&lock) == 0);
    assert(pthread_rwlock_tryrdlock(&lock) != 0);
    pthread_rwlock_unlock(&lock);
    return 0;
}
