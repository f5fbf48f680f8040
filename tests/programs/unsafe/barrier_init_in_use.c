// A barrier is initialised again while a thread may wait at it.
#include <pthread.h>

static pthread_barrier_t barrier;

static void *meets(void *arg) {
    (void)arg;
    pthread_barrier_wait(&barrier);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&t, 0, meets, 0);
    pthread_barrier_init(&barrier, 0, 2); //~ VIOLATION: mutex-misuse
    pthread_barrier_wait(&barrier);
    pthread_join(t, 0);
    return 0;
}
