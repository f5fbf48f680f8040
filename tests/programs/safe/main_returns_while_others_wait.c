// The end of main ends the process, also for a thread that would wait for ever.
//@ models: sc tso
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *take(void *arg) {
    sem_wait(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, 0, take, 0);
    pthread_detach(t);
    return 0;
}
