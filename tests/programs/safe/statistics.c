// Three threads keep statistics that no assertion asks for: one execution.
//@ executions[guided,sc]: 1
//@ algorithms: dpor optimal guided
#include <assert.h>
#include <pthread.h>

static int hits, last, biggest;
static int cell[3];

static void *work(void *arg) {
    int me = (int)(long)arg;
    hits = hits + 1;
    last = me;
    if (me > biggest)
        biggest = me;
    cell[me] = 7;
    assert(cell[me] == 7);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
