// A violation in another interleaving is still found.
#include <assert.h>
#include <pthread.h>

extern void mystery(void);
static int x;

static void *work(void *arg) {
    (void)arg;
    x = 1;
    x = 2;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    int seen = x;
    if (seen == 0)
        mystery();
    assert(seen != 1); //~ VIOLATION: assertion
    pthread_join(t, 0);
    return 0;
}
