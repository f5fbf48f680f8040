// Inputs that are only compared with constants: one value of each class is as good as all, so
// explorers say `safe`.
//@ models: sc
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern long __VERIFIER_nondet_long(void);

static int level, done;

static int clamp(int n) {
    if (n < -40)
        return 0;
    return n > 1000 ? 2 : 1;
}

static void *work(void *arg) {
    level = clamp(__VERIFIER_nondet_int());
    if (__VERIFIER_nondet_uchar() > 200)
        level++;
    while (__VERIFIER_nondet_long() < 5 && level < 3)
        level++;
    done = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    assert(done == 1 && level >= 0 && level <= 3);
    return 0;
}
