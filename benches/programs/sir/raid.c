// The counters of a redundant array of disks: six words that nothing is decided by, beside a
// lock. May two threads be between lock and unlock?
#include <assert.h>
#include <pthread.h>
static int reads, writes, active, pending, resyncs, errors;
static int inside;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *handle(void *p) {
    for (int i = 0; i < N; i++) {
        writes += 1;
        pending += 1;
#ifndef BROKEN
        pthread_mutex_lock(&lock);
#endif
        inside += 1;
        active += 1;
        assert(inside == 1);
        inside -= 1;
#ifndef BROKEN
        pthread_mutex_unlock(&lock);
#endif
        pending -= 1;
        errors = active;
    }
    return p;
}

static void *rebuild(void *p) {
    for (int i = 0; i < N; i++) {
        reads += 1;
        resyncs = reads + writes;
        pthread_mutex_lock(&lock);
        inside += 1;
        active -= 1;
        assert(inside == 1);
        inside -= 1;
        pthread_mutex_unlock(&lock);
        pending += resyncs;
        errors += 1;
    }
    return p;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, handle, 0);
    pthread_create(&t, 0, rebuild, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
