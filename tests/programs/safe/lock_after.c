// A section that is over does not make a try for the lock fail, nor does one that has not
// begun.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int left, allowed;

static void *worker(void *unused) {
    (void)unused;
    if (atomic_load(&allowed)) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    atomic_store(&left, 1);
    return 0;
}

static int tried(void) {
    int failed = pthread_mutex_trylock(&lock);
    if (!failed) {
        pthread_mutex_unlock(&lock);
    }
    return failed;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    assert(!tried());
    atomic_store(&allowed, 1);
    if (atomic_load(&left)) {
        assert(!tried());
    }
    pthread_join(a, 0);
    return 0;
}
