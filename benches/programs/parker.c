// The fast path of a parker: a thread takes a permit without the lock and then
// looks for work. Without the fence that comes with FENCES, the store that takes
// the permit may overwrite one given after the look: the wake-up is lost.
#include <assert.h>
#include <pthread.h>

#ifdef FENCES
#define FENCE __sync_synchronize()
#else
#define FENCE (void)0
#endif

static volatile int permit = 1, work;
static int found;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void park(void) {
    if (permit > 0) {
        permit = 0;
        FENCE;
        return;
    }
    pthread_mutex_lock(&mutex);
    permit = 0;
    pthread_mutex_unlock(&mutex);
}

static void unpark(void) {
    pthread_mutex_lock(&mutex);
    permit = 1;
    pthread_mutex_unlock(&mutex);
}

static void *sleeper(void *arg) {
    park();
    found = work;
    return arg;
}

static void *waker(void *arg) {
    work = 1;
    unpark();
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, sleeper, 0);
    pthread_create(&b, 0, waker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(found || permit);
    return 0;
}
