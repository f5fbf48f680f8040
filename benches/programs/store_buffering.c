// N pairs of threads, each pair with its own two variables: a store, then a load
// of the other's.
#include <pthread.h>

static int x[N], y[N];

static void *left(void *arg) {
    long k = (long)arg;
    x[k] = 1;
    return (void *)(long)y[k];
}

static void *right(void *arg) {
    long k = (long)arg;
    y[k] = 1;
    return (void *)(long)x[k];
}

int main(void) {
    pthread_t threads[2 * N];
    for (long k = 0; k < N; k++) {
        pthread_create(&threads[2 * k], 0, left, (void *)k);
        pthread_create(&threads[2 * k + 1], 0, right, (void *)k);
    }
    for (int k = 0; k < 2 * N; k++)
        pthread_join(threads[k], 0);
    return 0;
}
