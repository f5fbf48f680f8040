// Cancellation ends waits for a semaphore, for another thread, and for time.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t never;
static pthread_t waits, joins;

static void *wait_for_post(void *unused) {
    sem_wait(&never);
    assert(0);
    return unused;
}

static void *wait_for_thread(void *unused) {
    pthread_join(waits, 0);
    return unused;
}

static void *sleeps(void *unused) {
    for (;;) sleep(1);
    return unused;
}

int main(void) {
    pthread_t third;
    void *result;
    sem_init(&never, 0, 0);
    pthread_create(&waits, 0, wait_for_post, 0);
    pthread_create(&joins, 0, wait_for_thread, 0);
    pthread_cancel(joins);
    pthread_join(joins, &result);
    assert(result == PTHREAD_CANCELED);
    pthread_cancel(waits);
    pthread_join(waits, &result);
    assert(result == PTHREAD_CANCELED);
    pthread_create(&third, 0, sleeps, 0);
    pthread_cancel(third);
    pthread_join(third, &result);
    assert(result == PTHREAD_CANCELED);
}
