// The indexer with a mutex for each cell, and threads that read their number from one
// variable, perhaps too late: that no index leaves the table follows from all that is ever
// written there. One execution.
//@ algorithms: guided
//@ args: --check assert,memory
//@ executions[guided,sc]: 1
#include <pthread.h>
#include <stdlib.h>

#define SIZE 128
#define THREADS 14

static int table[SIZE];
static pthread_mutex_t slots[SIZE];

static void take(int h) {
    if (pthread_mutex_lock(&slots[h]) != 0)
        abort();
}

static void give(int h) {
    if (pthread_mutex_unlock(&slots[h]) != 0)
        abort();
}

static int cas(int h, int val, int new_val) {
    take(h);
    int old = table[h];
    if (old == val)
        table[h] = new_val;
    give(h);
    return old == val;
}

static void *run(void *arg) {
    int tid = *(int *)arg;
    for (int m = 0; m < 4;) {
        int w = (++m) * 11 + tid;
        int h = (w * 7) % SIZE;
        while (!cas(h, 0, w))
            h = (h + 1) % SIZE;
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    int arg;
    for (int i = 0; i < SIZE; i++)
        pthread_mutex_init(&slots[i], 0);
    for (int i = 0; i < THREADS; i++) {
        arg = i;
        pthread_create(&threads[i], 0, run, &arg);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < SIZE; i++)
        pthread_mutex_destroy(&slots[i]);
    return 0;
}
