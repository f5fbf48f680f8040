// Which thread was last is asked when both have ended.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic pthread_t last;

static void *work(void *arg) {
    (void)arg;
    last = pthread_self();
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int t = 0; t < N; t++)
        pthread_create(&threads[t], 0, work, 0);
    for (int t = 0; t < N; t++)
        pthread_join(threads[t], 0);
    assert(last == threads[1]);
    return 0;
}
