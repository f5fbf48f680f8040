// The bound is checked, but another thread adds in between.
//@ models: sc tso
//@ args: --check overflow
#include <limits.h>
#include <pthread.h>

static volatile int total = INT_MAX - 1;

static void *add(void *arg) {
    if (total < INT_MAX)
        total = total + 1; //~ VIOLATION: signed-overflow
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
