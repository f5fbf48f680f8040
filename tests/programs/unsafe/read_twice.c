// A variable read twice in one condition need not have one value.
#include <assert.h>
#include <pthread.h>

static int x = 1;

static void *work(void *arg) {
    (void)arg;
    x = 2;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    assert(x == x); //~ VIOLATION: assertion
    pthread_join(t, 0);
    return 0;
}
