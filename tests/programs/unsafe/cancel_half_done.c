// The thread is cancelled between the two parts of a change.
#include <assert.h>
#include <pthread.h>

static int first, second;

static void *work(void *unused) {
    first = 1;
    pthread_testcancel();
    second = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
    assert(first == second); //~ VIOLATION: assertion
}
