// A thread that does not want to be cancelled is not, until it does; one that never comes to a
// cancellation point ends as usual.
#include <assert.h>
#include <pthread.h>

static int reached;

static void *work(void *unused) {
    int old;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
    assert(old == PTHREAD_CANCEL_ENABLE);
    pthread_testcancel();
    reached = 1;
    pthread_setcancelstate(old, 0);
    assert(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old) == 0);
    assert(pthread_setcancelstate(7, 0) != 0);
    pthread_testcancel();
    reached = 2;
    return unused;
}

static void *never(void *unused) {
    reached += 10;
    return &reached;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED ? reached == 1 : reached == 2);
    pthread_create(&thread, 0, never, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == &reached && reached >= 11);
}
