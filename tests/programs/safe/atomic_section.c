// Between atomic_begin and atomic_end no other thread moves.
//@ executions[optimal,sc]: 2
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int x;

static void *work(void *arg) {
    (void)arg;
    __VERIFIER_atomic_begin();
    int seen = x;
    x = seen + 1;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
