// Not both threads read the other's later store: 3 of 4 results.
//@ executions[optimal,sc]: 3
#include <assert.h>
#include <pthread.h>

static int x, y, r1, r2;

static void *left(void *arg) {
    (void)arg;
    r1 = x;
    y = 1;
    return 0;
}

static void *right(void *arg) {
    (void)arg;
    r2 = y;
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(r1 == 0 || r2 == 0);
    return 0;
}
