// errno is each thread's own, and semaphores set it.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t never;

static void *attempt(void *arg) {
    (void)arg;
    assert(errno == 0);
    assert(sem_trywait(&never) == -1);
    assert(errno == EAGAIN);
    return 0;
}

int main(void) {
    pthread_t t;
    sem_init(&never, 0, 0);
    pthread_create(&t, 0, attempt, 0);
    assert(errno == 0);
    pthread_join(t, 0);
    assert(errno == 0);
    return 0;
}
