// Inputs in the middle of atomic sections: nobody comes between.
//@ stateful: skip  inputs inside atomic sections
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int x, y;

static void __VERIFIER_atomic_move(void) {
    int a = x;
    if (__VERIFIER_nondet_bool())
        y++;
    else
        a++;
    _Bool again = __VERIFIER_nondet_bool();
    x = again ? a : a + 0;
    assert(x + y >= 1);
}

static void *work(void *arg) {
    __VERIFIER_atomic_move();
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    __VERIFIER_atomic_move();
    pthread_join(t, 0);
    assert(x + y == 2);
    return 0;
}
