// A semaphore as a lock and as a message: the count lets one thread in at a time,
// and a post comes before the wait that it lets through.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t lock, done;
static int counter;

static void *count(void *arg) {
    (void)arg;
    sem_wait(&lock);
    counter++;
    sem_post(&lock);
    sem_post(&done);
    return 0;
}

int main(void) {
    pthread_t a, b;
    int left;
    sem_init(&lock, 0, 1);
    sem_init(&done, 0, 0);
    pthread_create(&a, 0, count, 0);
    pthread_create(&b, 0, count, 0);
    sem_wait(&done);
    sem_wait(&done);
    assert(counter == 2);
    assert(sem_getvalue(&done, &left) == 0 && left == 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    sem_destroy(&lock);
    sem_destroy(&done);
    return 0;
}
