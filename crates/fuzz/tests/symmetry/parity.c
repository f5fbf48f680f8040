// What a thread does depends on the number that is its id.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int even, odd;

static void *work(void *arg) {
    (void)arg;
    atomic_int *counter = pthread_self() % 2 ? &odd : &even;
    int value = *counter;
    *counter = value + 1;
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int t = 0; t < N; t++)
        pthread_create(&threads[t], 0, work, 0);
    for (int t = 0; t < N; t++)
        pthread_join(threads[t], 0);
    return 0;
}
