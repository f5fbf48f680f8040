// What an atomic section touches depends on what came before it.
//@ executions[dpor,sc]: 6
//@ executions[optimal,sc]: 6
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int x, y;
static int *target = &x;

static void *redirect(void *arg) {
    (void)arg;
    target = &y;
    return 0;
}

static void *set(void *arg) {
    (void)arg;
    *target = 1;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, redirect, 0);
    pthread_create(&b, 0, set, 0);
    __VERIFIER_atomic_begin();
    *target = 2;
    __VERIFIER_atomic_end();
    return 0;
}
