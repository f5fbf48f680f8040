// N threads count under a mutex, twice each.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *count(void *arg) {
    (void)arg;
    for (int k = 0; k < 2; k++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int t = 0; t < N; t++)
        pthread_create(&threads[t], 0, count, 0);
    for (int t = 0; t < N; t++)
        pthread_join(threads[t], 0);
    assert(counter == 2 * N);
    return 0;
}
