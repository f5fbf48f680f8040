// Threads that are created in a loop, and one that looks before it locks: invariants that forget
// how a lock is found by who takes it first call this safe.
//@ models: sc
//@ algorithms: stateful
//@ engines: explore
#include <assert.h>
#include <pthread.h>

static int level;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *cycle(void *arg) {
    for (;;) {
        pthread_mutex_lock(&lock);
        level = level < 3 ? level + 1 : 0;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *lift(void *arg) {
    for (;;) {
        int seen = level;
        pthread_mutex_lock(&lock);
        level = seen < 5 ? seen + 1 : 0;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    for (int i = 0; i < 2; i++)
        pthread_create(&t, 0, cycle, 0);
    pthread_create(&t, 0, lift, 0);
    for (;;) {
        pthread_mutex_lock(&lock);
        assert(level <= 4); //~ VIOLATION: assertion
        pthread_mutex_unlock(&lock);
    }
}
