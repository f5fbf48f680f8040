// What is only compared with numbers, by a function and after it was widened, is tried on both
// sides of each of them.
//@ models: sc
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern short __VERIFIER_nondet_short(void);

static int mode;
static int wanted(void) { return __VERIFIER_nondet_int(); }
static int is_magic(int n) { return n == 123456; }

static void *set(void *arg) {
    if (is_magic(wanted()))
        mode = 1;
    switch (__VERIFIER_nondet_short()) {
    case -77:
        mode += 2;
        break;
    default:
        break;
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, set, 0);
    int seen = mode;
    pthread_join(t, 0);
    assert(seen != 0 || mode != 3); //~ VIOLATION: assertion
    return 0;
}
