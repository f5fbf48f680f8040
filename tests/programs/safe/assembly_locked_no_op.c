// The fence of old code: a locked addition of nothing to the stack.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>

static int x, y, a, b;

static void fence(void) { __asm__ volatile("lock; addl $0,0(%%rsp)" : : : "memory", "cc"); }

static void *other(void *unused) {
    x = 1;
    fence();
    a = y;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    y = 1;
    fence();
    b = x;
    pthread_join(thread, 0);
    assert(a || b);
    return 0;
}
