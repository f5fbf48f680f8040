// One thread writes a level without a lock, another reads it at any time.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int level;
static atomic_int seen;

static void *writer(void *unused) {
    for (int n = 0;; n = n < 6 ? n + 2 : 0) {
#ifdef BROKEN
        atomic_store(&level, n / 2);
#else
        atomic_store(&level, n);
#endif
        atomic_fetch_add(&seen, 1);
    }
    return unused;
}

static void *reader(void *unused) {
    for (;;) {
        int now = atomic_load(&level);
        assert(now >= 0 && now <= 6 && now % 2 == 0);
        atomic_fetch_add(&seen, 1);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
