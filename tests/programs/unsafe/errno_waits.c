// A failed attempt sets `errno`, which is a store that waits like any other. It belongs to the
// call, not to what the call does to the semaphore, and is in memory when all wait for ever.
//@ models: sc tso pso
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t turns;

static void *take(void *arg) {
    if (sem_trywait(&turns) != 0 && errno == EAGAIN)
        sem_wait(&turns); //~ VIOLATION: deadlock
    return arg;
}

int main(void) {
    pthread_t a, b;
    sem_init(&turns, 0, 1);
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
