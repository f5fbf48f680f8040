// An assumption about what another thread did cuts interleavings, not inputs.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
static int x, y;

static void *work(void *arg) {
    (void)arg;
    x = 1;
    y = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    __VERIFIER_assume(y == 1);
    assert(x == 1);
    return 0;
}
