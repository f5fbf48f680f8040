#include <assert.h>
#include <pthread.h>

static int x;

static void *work(void *arg) {
    x = (int)(long)arg;
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(x >= 1 && x <= THREADS);
    return 0;
}
