// Two inputs, one in each thread; they must meet in one order, and add up.
//@ engines: lazy
//@ args: --unwind 1 --rounds 2
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static unsigned total;

static void *add(void *arg) {
    total += (unsigned)__VERIFIER_nondet_int();
    return arg;
}

static void *triple(void *arg) {
    total = 3 * total + (unsigned)__VERIFIER_nondet_int() % 16;
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, add, 0);
    pthread_create(&threads[1], 0, triple, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(total != 3000000014u);  //~ VIOLATION: assertion
    return 0;
}
