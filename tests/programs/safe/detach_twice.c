// A thread is detached or joined once; afterwards the library says that it is neither.
//@ lazy: skip  a second detach of a thread
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void *work(void *arg) {
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    assert(pthread_detach(a) == 0);
    assert(pthread_detach(a) == EINVAL);
    assert(pthread_join(a, 0) == EINVAL);
    pthread_create(&b, 0, work, 0);
    assert(pthread_join(b, 0) == 0);
    assert(pthread_detach(b) != 0);
    return 0;
}
