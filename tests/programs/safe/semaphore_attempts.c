// Attempts to take a semaphore, with and without a deadline, fail when its count
// is 0, and a waiting loop around them ends once somebody posts.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t ready;
static int data;

static void *produce(void *arg) {
    (void)arg;
    data = 7;
    sem_post(&ready);
    return 0;
}

int main(void) {
    pthread_t t;
    struct timespec soon = {0, 0};
    sem_init(&ready, 0, 1);
    assert(sem_trywait(&ready) == 0);
    assert(sem_trywait(&ready) == -1);
    assert(sem_timedwait(&ready, &soon) == -1);
    pthread_create(&t, 0, produce, 0);
    while (sem_trywait(&ready) != 0)
        ;
    assert(data == 7);
    pthread_join(t, 0);
    return 0;
}
