// Whoever fails to get the lock gives it back all the same, while another thread is in its
// section, and a third one gets in.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static atomic_int inside;

static void *worker(void *unused) {
    (void)unused;
    int free = 0;
    if (atomic_compare_exchange_strong(&lock, &free, 1)) {
        assert(atomic_fetch_add(&inside, 1) == 0); //~ VIOLATION: assertion
        atomic_fetch_sub(&inside, 1);
    }
    atomic_exchange(&lock, 0);
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_create(&c, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
