// Threads that read the loop variable of their creator.
#include <assert.h>
#include <pthread.h>

static int seen[2];

static void *work(void *arg) {
    int me = *(int *)arg;
    if (me < 2)
        __sync_fetch_and_add(&seen[me], 1);
    return 0;
}

int main(void) {
    pthread_t t[2];
    int i;
    for (i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, &i);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    assert(seen[0] == 1 && seen[1] == 1); //~ VIOLATION: assertion
    return 0;
}
