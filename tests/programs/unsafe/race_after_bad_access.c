// A thread that ends at an access out of bounds, which is not looked for, is in the way of no
// race of others: the race is found, replayed and shown.
//@ args: --check race
#include <pthread.h>
#include <stdlib.h>

static int *pointer;
static int shared;

static void *bad(void *arg) {
    *pointer = 1;
    return arg;
}

static void *work(void *arg) {
    shared++; //~ VIOLATION: data-race
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    pointer = (int *)malloc(4) + 1;
    pthread_create(&a, 0, bad, 0);
    pthread_create(&b, 0, work, 0);
    pthread_create(&c, 0, work, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
