// The loop waits although it stores: what it stores is there already.
//@ models: sc
#include <pthread.h>

static volatile int x, go;

static void *work(void *arg) {
    x = 1;
    go = 0;
    x = 0;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    while (!go) //~ VIOLATION: deadlock
        x = 0;
    return 0;
}
