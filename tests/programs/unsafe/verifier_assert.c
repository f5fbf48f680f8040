// __VERIFIER_assert fails at its call.
#include <pthread.h>

extern void __VERIFIER_assert(int);
static int x;

static void *work(void *arg) {
    (void)arg;
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    __VERIFIER_assert(x == 0); //~ VIOLATION: assertion
    return 0;
}
