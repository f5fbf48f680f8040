// A barrier for two that three threads come to: only if the last two that are created meet
// has the first one not written yet; it is left behind, which is not looked for here.
//@ args: --check assert
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int written;

static void *writes(void *arg) {
    (void)arg;
    pthread_barrier_wait(&barrier);
    written = 1;
    return 0;
}

static void *meets(void *arg) {
    (void)arg;
    pthread_barrier_wait(&barrier);
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&a, 0, writes, 0);
    pthread_create(&b, 0, meets, 0);
    pthread_create(&c, 0, meets, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(written); //~ VIOLATION: assertion
    return 0;
}
