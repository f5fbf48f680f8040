// The failure is three calls deep; the stack shows the way.
#include <assert.h>
#include <pthread.h>

static int level;

static void check(int limit) {
    assert(level < limit); //~ VIOLATION: assertion
}

static void step(int limit) { check(limit); }

static void *climb(void *arg) {
    (void)arg;
    level = 2;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, climb, 0);
    step(2);
    pthread_join(t, 0);
    return 0;
}
