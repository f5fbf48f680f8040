// trylock never waits; EBUSY means that the other one is in.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside, done;

static void *work(void *arg) {
    (void)arg;
    int result = pthread_mutex_trylock(&lock);
    assert(result == 0 || result == EBUSY);
    if (result == 0) {
        assert(inside == 0);
        inside = 1;
        done++;
        inside = 0;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(done == 1 || done == 2);
    return 0;
}
