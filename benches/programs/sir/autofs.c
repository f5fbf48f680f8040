// An auto-mounter: a mount point is taken away when nobody has used it for a while. Whether it
// is there and how many walk through it decide what happens (two words); times, counts and the
// last to wait (five words) do not. Does anybody walk through what is taken away?
#include <assert.h>
#include <pthread.h>
static int mounted, walkers;
static int last_used, timeouts, requests, waiter, queue;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *walk(void *p) {
    for (int i = 0; i < N; i++) {
        requests += 1;
        waiter = i;
        pthread_mutex_lock(&lock);
        if (!mounted) mounted = 1;
        walkers += 1;
        pthread_mutex_unlock(&lock);
        last_used = requests;
        queue += 1;
        assert(mounted);
        pthread_mutex_lock(&lock);
        walkers -= 1;
        pthread_mutex_unlock(&lock);
        queue -= 1;
    }
    return p;
}

static void *expire(void *p) {
    for (int i = 0; i < N; i++) {
        timeouts += 1;
        last_used = 0;
        waiter = -1;
        pthread_mutex_lock(&lock);
#ifndef BROKEN
        if (walkers == 0)
#endif
            mounted = 0;
        pthread_mutex_unlock(&lock);
        queue = 0;
        requests = 0;
    }
    return p;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, walk, 0);
    pthread_create(&t, 0, expire, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
