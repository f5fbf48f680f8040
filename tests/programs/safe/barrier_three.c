// Three threads at a barrier: who comes first makes no difference, and nobody is told.
//@ models: sc tso pso
//@ executions[optimal,sc]: 1
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;

static void *meet(void *arg) {
    (void)arg;
    pthread_barrier_wait(&barrier);
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
    return 0;
}
