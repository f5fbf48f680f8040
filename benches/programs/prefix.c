// The Fibonacci pair with four additions each, after N visible steps that all
// executions share.
#include <pthread.h>

static int i = 1, j = 1, ready;

static void *add_j(void *arg) {
    (void)arg;
    for (int k = 0; k < 4; k++)
        i += j;
    return 0;
}

static void *add_i(void *arg) {
    (void)arg;
    for (int k = 0; k < 4; k++)
        j += i;
    return 0;
}

static void *prepare(void *arg) {
    (void)arg;
    for (int k = 0; k < N; k++)
        ready = k;
    pthread_t a, b;
    pthread_create(&a, 0, add_j, 0);
    pthread_create(&b, 0, add_i, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, prepare, 0);
    pthread_join(thread, 0);
    return 0;
}
