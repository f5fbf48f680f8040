// A barrier for two that three threads use, one of them twice: who is with whom decides
// whether the second thread has written before the last one looks.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int written;

static void *once(void *arg) {
    (void)arg;
    pthread_barrier_wait(&barrier);
    return 0;
}

static void *writes(void *arg) {
    (void)arg;
    written = 1;
    pthread_barrier_wait(&barrier);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&a, 0, once, 0);
    pthread_create(&b, 0, writes, 0);
    pthread_barrier_wait(&barrier);
    assert(written); //~ VIOLATION: assertion
    pthread_barrier_wait(&barrier);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
