// The thread may still run when a join that does not wait gives up.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static int x;

static void *work(void *arg) {
    (void)arg;
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    pthread_tryjoin_np(a, 0);
    assert(x == 1); //~ VIOLATION: assertion
    return 0;
}
