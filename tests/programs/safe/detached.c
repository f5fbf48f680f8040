// A detached thread may or may not have run when main ends.
#include <assert.h>
#include <pthread.h>

static int x;

static void *work(void *arg) {
    (void)arg;
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    assert(pthread_detach(t) == 0);
    assert(x == 0 || x == 1);
    return 0;
}
