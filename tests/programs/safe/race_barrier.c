// Whoever leaves a barrier knows what all did before they came; creation and join
// order too.
//@ models: sc tso pso
//@ args: --check race
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int x, y, sum;

static void *work(void *arg) {
    x = 1;
    pthread_barrier_wait(&barrier);
    assert(y == 2);
    return arg;
}

int main(void) {
    pthread_t t;
    sum = 1;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&t, 0, work, 0);
    y = 2;
    pthread_barrier_wait(&barrier);
    sum += x;
    pthread_join(t, 0);
    x = 3;
    assert(sum == 2);
    return 0;
}
