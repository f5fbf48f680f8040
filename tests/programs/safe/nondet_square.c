// No input fails, and there are too many to try: 1522756 is the square of 1234.
//@ engines: lazy
//@ verdict: safe
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static volatile int input;

static void *give(void *arg) {
    int x = __VERIFIER_nondet_int();
    if (x >= 0 && x < 1234)
        input = x;
    return arg;
}

int main(void) {
    pthread_t giver;
    pthread_create(&giver, 0, give, 0);
    int x = input;
    assert(x * x != 1522756);
    pthread_join(giver, 0);
    return 0;
}
