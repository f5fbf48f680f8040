// A semaphore that is destroyed while a thread may still use it.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *post(void *arg) {
    (void)arg;
    sem_post(&ready); //~ VIOLATION: mutex-misuse
    return 0;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 1);
    pthread_create(&t, 0, post, 0);
    sem_wait(&ready);
    sem_destroy(&ready);
    pthread_join(t, 0);
    return 0;
}
