// What a thread has stored itself is wider than whatever others make of what was there before.
//@ models: sc tso pso
//@ engines: lazy
//@ args: --rounds 2
#include <assert.h>
#include <pthread.h>

static int x = 1, y = 1;

static void *store(void *arg) {
    x = 100000;
    for (int k = 0; k < 6; k++) {
        int seen = x;
        assert(seen < 50000); //~ VIOLATION: assertion
        y += seen;
    }
    return arg;
}

static void *add(void *arg) {
    for (int k = 0; k < 6; k++)
        x += y;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, store, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
