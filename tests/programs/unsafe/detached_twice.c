// Whoever detaches a thread once more is told that it is none to be detached.
//@ lazy: skip  a second detach of a thread
#include <assert.h>
#include <pthread.h>

static void *work(void *arg) {
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    pthread_detach(a);
    assert(pthread_detach(a) == 0); //~ VIOLATION: assertion
    return 0;
}
