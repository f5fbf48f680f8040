// Readers under a read lock see both halves of what a writer changes.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right;

static void *write_both(void *arg) {
    (void)arg;
    pthread_rwlock_wrlock(&lock);
    left++;
    right++;
    pthread_rwlock_unlock(&lock);
    return 0;
}

static void *read_both(void *arg) {
    (void)arg;
    pthread_rwlock_rdlock(&lock);
    assert(left == right);
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t w, r;
    pthread_create(&w, 0, write_both, 0);
    pthread_create(&r, 0, read_both, 0);
    read_both(0);
    pthread_join(w, 0);
    pthread_join(r, 0);
    assert(left == 1);
    pthread_rwlock_destroy(&lock);
    return 0;
}
