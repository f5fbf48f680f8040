// Two waits for one post.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *take(void *arg) {
    (void)arg;
    sem_wait(&ready); //~ VIOLATION: deadlock
    return 0;
}

int main(void) {
    pthread_t a, b;
    sem_init(&ready, 0, 0);
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, take, 0);
    sem_post(&ready);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
