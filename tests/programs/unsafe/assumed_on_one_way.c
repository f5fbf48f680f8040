// What is assumed holds on one way only, of a part of the condition, and for a moment.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
extern _Bool __VERIFIER_nondet_bool(void);

int x = 1;

static void *work(void *argument) {
    x = 2;
    return argument;
}

int main(void) {
    pthread_t id;
    pthread_create(&id, 0, work, 0);
    int seen = x;
    if (__VERIFIER_nondet_bool())
        __VERIFIER_assume(seen == 1);
    __VERIFIER_assume(seen == 1 || x == 2);
    assert(seen == 1); //~ VIOLATION: assertion
    pthread_join(id, 0);
    return 0;
}
