// A lock that knows its owner.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic pthread_t owner;
static int inside;

static void *work(void *arg) {
    (void)arg;
    pthread_t nobody = 0;
    while (!atomic_compare_exchange_strong(&owner, &nobody, pthread_self()))
        nobody = 0;
    assert(++inside == 1);
    assert(pthread_equal(owner, pthread_self()));
    inside--;
    owner = 0;
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
