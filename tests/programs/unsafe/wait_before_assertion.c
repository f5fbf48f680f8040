// What the loop waits for flows nowhere, but without it the assertion is never reached.
// Also where nobody asks for deadlocks.
//@ args: --check assert,memory
#include <assert.h>
#include <pthread.h>

static _Atomic int go;
static int work;

static void *wait(void *arg) {
    while (!go)
        ;
    work = 1;
    assert(work == 1); //~ VIOLATION: assertion
    return arg;
}

static void *send(void *arg) {
    go = 1;
    work = 2;
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, wait, 0);
    pthread_create(&t2, 0, send, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
