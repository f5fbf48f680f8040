// Waiting for a flag that one interleaving never sets.
#include <pthread.h>

static volatile int ready, cancelled;

static void *work(void *arg) {
    (void)arg;
    if (!cancelled)
        ready = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    cancelled = 1;
    while (!ready) //~ VIOLATION: deadlock
        ;
    pthread_join(t, 0);
    return 0;
}
