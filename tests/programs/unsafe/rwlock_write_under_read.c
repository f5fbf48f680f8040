// Two threads write under a read lock.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int counter;

static void *count(void *arg) {
    (void)arg;
    pthread_rwlock_rdlock(&lock);
    counter++;
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, count, 0);
    count(0);
    pthread_join(t, 0);
    assert(counter == 2); //~ VIOLATION: assertion
    return 0;
}
