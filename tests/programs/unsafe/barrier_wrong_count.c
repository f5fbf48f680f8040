// A barrier for three threads where only two meet.
#include <pthread.h>

static pthread_barrier_t barrier;

static void *meet(void *arg) {
    (void)arg;
    pthread_barrier_wait(&barrier); //~ VIOLATION: deadlock
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, 0, 3);
    pthread_create(&t, 0, meet, 0);
    meet(0);
    pthread_join(t, 0);
    return 0;
}
