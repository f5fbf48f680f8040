// Looks at a lock between a section's begin and end, by its owner and by others, keep nobody
// from what follows.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static int count;

static int take(int mine) {
    int free = 0;
    return atomic_compare_exchange_strong(&lock, &free, mine);
}

static void *worker(void *number) {
    int mine = (int)(long)number;
    if (take(mine)) {
        count += atomic_load(&lock) == mine;
        atomic_exchange(&lock, 0);
        count += atomic_load(&lock) == 3 - mine;
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, (void *)1);
    pthread_create(&b, 0, worker, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count < 3); //~ VIOLATION: assertion
    return 0;
}
