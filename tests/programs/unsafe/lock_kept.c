// A section without an end: whoever wants the lock after that waits for good.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first, count;

static void *worker(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock); //~ VIOLATION: deadlock
    count++;
    if (count == 1) {
        first = 1;
        return 0;
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0); //~ VIOLATION: deadlock
    pthread_join(b, 0); //~ VIOLATION: deadlock
    assert(first);
    return 0;
}
