// Who comes after all sections finds the mark of the one that did not end, or of its own.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;

static int take(int mine) {
    int free = 0;
    return atomic_compare_exchange_strong(&lock, &free, mine);
}

static void *worker(void *number) {
    int mine = (int)(long)number;
    if (take(mine) && mine == 1) {
        atomic_exchange(&lock, 0);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, (void *)1);
    pthread_create(&b, 0, worker, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    int left = atomic_load(&lock);
    assert(left == 0 || left == 2);
    int got = take(3), last = atomic_load(&lock);
    assert(last == (got ? 3 : 2));
    assert(got); //~ VIOLATION: assertion
    return 0;
}
