// A barrier that is destroyed while a thread waits at it.
#include <pthread.h>

static pthread_barrier_t barrier;

static void *meet(void *arg) {
    (void)arg;
    pthread_barrier_wait(&barrier); //~ VIOLATION: mutex-misuse
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&t, 0, meet, 0);
    pthread_barrier_destroy(&barrier); //~ VIOLATION: mutex-misuse
    pthread_join(t, 0);
    return 0;
}
