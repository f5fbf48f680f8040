// A join on a thread that never ends.
//@ models: sc tso
#include <pthread.h>

static void *spin(void *arg) {
    for (;;)
        ;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, spin, 0);
    pthread_join(t, 0); //~ VIOLATION: deadlock
    return 0;
}
