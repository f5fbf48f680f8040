// Two threads write a variable without a lock: no assertion fails, but it is a race.
//@ models: sc tso pso
//@ args: --check all
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int x;

static void *first(void *arg) {
    x = 1; //~ VIOLATION: data-race
    return arg;
}

static void *second(void *arg) {
    x = 2; //~ VIOLATION: data-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
