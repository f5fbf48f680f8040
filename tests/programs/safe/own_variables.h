#include <assert.h>
#include <pthread.h>

static int x[THREADS];

static void *work(void *arg) {
    x[(long)arg]++;
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < THREADS; i++)
        assert(x[i] == 1);
    return 0;
}
