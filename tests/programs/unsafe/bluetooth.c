// A driver is stopped while a request comes in: between the look at the flag and the
// count, the last request may have left.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

extern void __VERIFIER_assume(int);

static int stopping, pending = 1;
static bool event, stopped;

static int enter(void) {
    if (stopping)
        return -1;
    __sync_fetch_and_add(&pending, 1);
    return 0;
}

static void leave(void) {
    if (__sync_sub_and_fetch(&pending, 1) == 0)
        event = true;
}

static void *stop(void *arg) {
    stopping = 1;
    leave();
    __VERIFIER_assume(event);
    stopped = true;
    return arg;
}

static void add(void) {
    if (enter() == 0)
        assert(!stopped); //~ VIOLATION: assertion
    leave();
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, stop, 0);
    add();
    pthread_join(thread, 0);
    return 0;
}
