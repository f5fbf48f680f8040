// The allocation map of a journalling file system, in the style of its driver: five counts and
// hints that nothing is decided by, and one status word that says who may change the map.
// One thread allocates, one frees. May both be where the map is changed?
#include <assert.h>
#include <pthread.h>
enum { IDLE, ALLOCATING, FREEING };
static int status;
static int free_blocks = 64, hint, last, dirty, commits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int claim(int what) {
    pthread_mutex_lock(&lock);
    int mine = status == IDLE;
    if (mine) status = what;
    pthread_mutex_unlock(&lock);
    return mine;
}

static void *allocate(void *p) {
    for (int i = 0; i < N; i++) {
        hint = last;
        if (!claim(ALLOCATING)) continue;
        free_blocks -= 1;
        last = hint + i;
        dirty += 1;
        assert(status == ALLOCATING);
        status = IDLE;
        commits += 1;
    }
    return p;
}

static void *release(void *p) {
    for (int i = 0; i < N; i++) {
        last = i;
#ifndef BROKEN
        if (!claim(FREEING)) continue;
#else
        status = FREEING;
#endif
        free_blocks += 1;
        dirty += 1;
        hint = last;
        assert(status == FREEING);
        status = IDLE;
        commits += 1;
    }
    return p;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, allocate, 0);
    pthread_create(&t, 0, release, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
