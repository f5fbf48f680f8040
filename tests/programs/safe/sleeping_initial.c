// The thread that comes to a race second sleeps where it should be tried first;
// another that must come before it does not.
//@ executions[naive,sc]: 30
//@ executions[dpor,sc]: 9
//@ executions[optimal,sc]: 9
#include <pthread.h>

static int x, y;

static void *first(void *arg) {
    (void)arg;
    x = 1;
    y = 1;
    return 0;
}

static void *second(void *arg) {
    (void)arg;
    x = __sync_fetch_and_or(&y, 2);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    x = 2;
    return 0;
}
