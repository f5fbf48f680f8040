// Compare-and-exchanges that fail in one order and succeed in the other.
//@ executions[naive,sc]: 2520
//@ executions[dpor,sc]: 124
//@ executions[optimal,sc]: 124
#include <pthread.h>

static int x, y;

static void *first(void *arg) {
    (void)arg;
    y = 0;
    __sync_bool_compare_and_swap(&x, 0, 1);
    return 0;
}

static void *second(void *arg) {
    (void)arg;
    x = x;
    return 0;
}

static void *third(void *arg) {
    (void)arg;
    y = __sync_bool_compare_and_swap(&x, 1, 1);
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_create(&c, 0, third, 0);
    y = 0;
    return x;
}
