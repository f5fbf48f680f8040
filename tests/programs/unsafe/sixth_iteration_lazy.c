// The same as sixth_iteration.c with bounds that grow by themselves.
//@ engines: lazy
#include <assert.h>
#include <pthread.h>

static volatile int steps, stop;

static void *walk(void *arg) {
    for (int at = 0; at < 8 && !stop; at++)
        steps++;
    return arg;
}

int main(void) {
    pthread_t walker;
    pthread_create(&walker, 0, walk, 0);
    assert(steps < 6);  //~ VIOLATION: assertion
    stop = 1;
    pthread_join(walker, 0);
    return 0;
}
