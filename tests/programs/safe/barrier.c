// What every thread wrote before the barrier is there after it, for two rounds of
// the same barrier; one thread of each round is told so.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int slots[2], serials;

static void meet(int me, int round) {
    slots[me] = round;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        __atomic_fetch_add(&serials, 1, __ATOMIC_SEQ_CST);
    assert(slots[!me] == round);
    pthread_barrier_wait(&barrier);
}

static void *run(void *arg) {
    int me = arg != 0;
    meet(me, 1);
    meet(me, 2);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&t, 0, run, 0);
    run(&t);
    pthread_join(t, 0);
    assert(serials == 2);
    pthread_barrier_destroy(&barrier);
    return 0;
}
