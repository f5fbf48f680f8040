// Two locks do not keep their sections apart: an increment is lost.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int count;

static void *worker(void *lock) {
    pthread_mutex_lock(lock);
    count++;
    pthread_mutex_unlock(lock);
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, worker, &locks[0]);
    pthread_create(&b, 0, worker, &locks[0]);
    pthread_create(&c, 0, worker, &locks[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(count == 3); //~ VIOLATION: assertion
    return 0;
}
