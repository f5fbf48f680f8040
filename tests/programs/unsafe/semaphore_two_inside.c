// A semaphore that lets two threads in is no lock.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t lock;
static int counter;

static void *count(void *arg) {
    (void)arg;
    sem_wait(&lock);
    counter++;
    sem_post(&lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    sem_init(&lock, 0, 2);
    pthread_create(&a, 0, count, 0);
    pthread_create(&b, 0, count, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2); //~ VIOLATION: assertion
    return 0;
}
