// Three threads meet twice, with writes of their own between: one execution.
//@ algorithms: dpor optimal guided stateful
//@ executions[optimal,sc]: 1
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int cells[3], sums[3];

static void *work(void *arg) {
    long id = (long)arg;
    cells[id] = 1;
    pthread_barrier_wait(&barrier);
    sums[id] = cells[0] + cells[1] + cells[2];
    pthread_barrier_wait(&barrier);
    assert(sums[0] == 3 && sums[1] == 3 && sums[2] == 3);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, 0, 3);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, (void *)(i + 1));
    work(0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    pthread_barrier_destroy(&barrier);
    return 0;
}
