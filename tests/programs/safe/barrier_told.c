// One of three threads is told that it came last: the 3! orders of arrival.
//@ models: sc tso pso
//@ executions[optimal,sc]: 6
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int told;

static void *meet(void *arg) {
    (void)arg;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        told++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&barrier, 0, 3);
    pthread_create(&a, 0, meet, 0);
    pthread_create(&b, 0, meet, 0);
    meet(0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(told == 1);
    return 0;
}
