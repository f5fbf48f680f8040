// A second join of a thread fails and gives no result.
//@ lazy: unknown  a second join has no model
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void *work(void *arg) {
    void *unset;
    (void)arg;
    return unset;
}

int main(void) {
    pthread_t thread;
    void *result = 0;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    int error = pthread_join(thread, &result);
    assert(error == EINVAL);
    assert(result == 0);
    return 0;
}
