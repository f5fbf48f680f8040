// posix_memalign stores the block's address like any other store: under TSO and PSO it
// waits in the queue, so that both threads may find the other's flag down.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *x, *y;
static int seen_x, seen_y;

static void *left(void *arg) {
    posix_memalign(&x, 16, 16);
    seen_y = y != 0;
    return arg;
}

static void *right(void *arg) {
    posix_memalign(&y, 16, 16);
    seen_x = x != 0;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(seen_x || seen_y); //~ VIOLATION[tso,pso]: assertion
    free(x);
    free(y);
    return 0;
}
