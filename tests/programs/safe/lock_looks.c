// Looks at a lock: who finds it free is in no section of others, who finds it taken is in one,
// and who has it finds its own mark, and not after it gave it back.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock, begun, ended;

static int take(int mine) {
    int free = 0;
    return atomic_compare_exchange_strong(&lock, &free, mine);
}

static void *worker(void *unused) {
    (void)unused;
    if (take(1)) {
        atomic_store(&begun, 1);
        assert(atomic_load(&lock) == 1);
        atomic_store(&ended, 1);
        assert(atomic_exchange(&lock, 0) == 1);
        assert(atomic_load(&lock) != 1);
    }
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    int inside = atomic_load(&begun);
    int found = atomic_load(&lock);
    if (inside && found == 0) {
        assert(atomic_load(&ended));
    }
    assert(found == 0 || found == 1);
    if (take(2)) {
        assert(atomic_load(&lock) == 2);
        atomic_exchange(&lock, 0);
    }
    assert(atomic_load(&lock) != 2);
    pthread_join(a, 0);
    assert(atomic_load(&lock) == 0);
    return 0;
}
