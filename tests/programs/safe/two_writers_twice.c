// Two threads write one variable twice each: 4!/(2!·2!) orders.
// Only the last write of each can be read: guided takes two.
//@ executions[optimal,sc]: 6
//@ executions[guided,sc]: 2
#include <assert.h>
#include <pthread.h>

static int a;

static void *first(void *arg) {
    (void)arg;
    a = 7;
    a = 6;
    return 0;
}

static void *second(void *arg) {
    (void)arg;
    a = 0;
    a = 1;
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, first, 0);
    pthread_create(&t2, 0, second, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(a != 7);
    return 0;
}
