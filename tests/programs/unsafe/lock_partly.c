// A thread gives the lock back only if something else is so, at once with looking at it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int lock, done;
static atomic_int got;

static void *worker(void *number) {
    int mine = (int)(long)number, has = 0;
    __VERIFIER_atomic_begin();
    if (lock == 0) {
        lock = 1;
        has = 1;
    }
    __VERIFIER_atomic_end();
    if (has) {
        atomic_fetch_add(&got, mine);
        __VERIFIER_atomic_begin();
        if (lock == 1 && done) {
            lock = 0;
        }
        __VERIFIER_atomic_end();
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, (void *)1);
    pthread_create(&b, 0, worker, (void *)2);
    done = 1;
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(lock == 0); //~ VIOLATION: assertion
    return 0;
}
