// Six threads; the last one created need not be the last to arrive.
//@ algorithms: dpor optimal
#include <assert.h>
#include <pthread.h>

#define THREADS 6

static int order[THREADS], arrived;

static void *work(void *arg) {
    order[__sync_fetch_and_add(&arrived, 1)] = (int)(long)arg;
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(order[THREADS - 1] == THREADS - 1); //~ VIOLATION: assertion
    return 0;
}
