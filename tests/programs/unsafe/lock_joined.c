// Main looks at the lock after one of two threads: the other may be in its section.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *worker(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    int failed = pthread_mutex_trylock(&lock);
    if (!failed) {
        pthread_mutex_unlock(&lock);
    }
    pthread_join(b, 0);
    assert(!failed); //~ VIOLATION: assertion
    return 0;
}
