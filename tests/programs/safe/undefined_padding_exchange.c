// A structure with padding that was never written is exchanged for another one: the padding
// that is expected is what was read before, so it is there.
//@ verdict: bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair {
    char low;
    short high;
};

static _Atomic struct pair shared;

static void raise(void) {
    struct pair seen = atomic_load(&shared);
    struct pair next;
    do {
        next.low = seen.low + 1;
        next.high = seen.high + 1;
    } while (!atomic_compare_exchange_strong(&shared, &seen, next));
}

static void *work(void *arg) {
    raise();
    return arg;
}

int main(void) {
    struct pair start;
    start.low = 0;
    start.high = 0;
    atomic_init(&shared, start);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    raise();
    pthread_join(thread, 0);
    struct pair end = atomic_load(&shared);
    assert(end.low == 2 && end.high == 2);
    return 0;
}
