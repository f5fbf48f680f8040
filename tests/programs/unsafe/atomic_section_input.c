// An input in the middle of an atomic section: nobody comes between.
//@ stateful: skip  inputs inside atomic sections
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int x, y;

static void *work(void *arg) {
    __VERIFIER_atomic_begin();
    int a = x;
    _Bool both = __VERIFIER_nondet_bool();
    x = a + 1;
    if (both)
        y = 1;
    __VERIFIER_atomic_end();
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    __VERIFIER_atomic_begin();
    int a = x;
    x = a + 1;
    __VERIFIER_atomic_end();
    int seen = y;
    pthread_join(t, 0);
    assert(x == 2);
    assert(seen == y); //~ VIOLATION: assertion
    return 0;
}
