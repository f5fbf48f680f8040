// Test and test-and-set: read until free, then try.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static int counter;

static void *work(void *arg) {
    (void)arg;
    for (;;) {
        while (atomic_load(&lock))
            ;
        if (atomic_exchange(&lock, 1) == 0)
            break;
    }
    counter++;
    atomic_store(&lock, 0);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
    return 0;
}
