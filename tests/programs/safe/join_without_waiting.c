// Joins that do not wait: the thread may have ended or not; once it is joined, it is over.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static int x;

static void *work(void *arg) {
    x = 1;
    return arg;
}

int main(void) {
    pthread_t a, b;
    void *result = 0;
    pthread_create(&a, 0, work, &x);
    int error = pthread_tryjoin_np(a, &result);
    assert(error == 0 || error == EBUSY);
    if (error == EBUSY) {
        assert(result == 0);
        assert(pthread_join(a, &result) == 0);
    }
    assert(x == 1 && result == &x);

    struct timespec never = {0, -1}, soon = {1, 0};
    pthread_create(&b, 0, work, 0);
    assert(pthread_timedjoin_np(b, 0, &never) == EINVAL);
    error = pthread_timedjoin_np(b, 0, &soon);
    assert(error == 0 || error == ETIMEDOUT);
    if (error != 0) while (pthread_tryjoin_np(b, 0) != 0) {}
    return 0;
}
