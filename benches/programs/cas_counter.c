// N threads count with compare-and-exchange.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *count(void *arg) {
    (void)arg;
    int value = counter;
    while (!atomic_compare_exchange_strong(&counter, &value, value + 1))
        ;
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int t = 0; t < N; t++)
        pthread_create(&threads[t], 0, count, 0);
    for (int t = 0; t < N; t++)
        pthread_join(threads[t], 0);
    assert(counter == N);
    return 0;
}
