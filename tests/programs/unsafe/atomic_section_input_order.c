// What an atomic section does after its input is ordered against two other threads.
//@ stateful: skip  inputs inside atomic sections
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int x, y;

static void *both(void *arg) {
    __VERIFIER_atomic_begin();
    x = __VERIFIER_nondet_bool();
    y = 1;
    __VERIFIER_atomic_end();
    return arg;
}

static void *clear(void *arg) {
    y = 0;
    return arg;
}

static void *raise(void *arg) {
    x = x + 1;
    return arg;
}

int main(void) {
    pthread_t first, second, third;
    pthread_create(&first, 0, raise, 0);
    pthread_create(&second, 0, clear, 0);
    pthread_create(&third, 0, both, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    pthread_join(third, 0);
    assert(!(x == 2 && y == 0)); //~ VIOLATION: assertion
    return 0;
}
