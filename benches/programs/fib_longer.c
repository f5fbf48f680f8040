// Two threads add each other's variable N times. Taking turns they reach the
// Fibonacci number 2N+2, and never more: 377 for six times. With LESS the assertion
// is one too strict, and fails only if they take turns at every step.
#include <assert.h>
#include <pthread.h>

#ifdef LESS
#define LIMIT 376
#else
#define LIMIT 377
#endif

static int i = 1, j = 1;

static void *add_j(void *arg) {
    for (int k = 0; k < N; k++)
        i += j;
    return arg;
}

static void *add_i(void *arg) {
    for (int k = 0; k < N; k++)
        j += i;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add_j, 0);
    pthread_create(&b, 0, add_i, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(i <= LIMIT && j <= LIMIT);
    return 0;
}
