// A function named __VERIFIER_atomic_… runs as one step.
#include <assert.h>
#include <pthread.h>

static int x;

static void __VERIFIER_atomic_add(int n) {
    int seen = x;
    x = seen + n;
}

static void *work(void *arg) {
    (void)arg;
    __VERIFIER_atomic_add(1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
