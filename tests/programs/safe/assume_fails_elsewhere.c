// The process ends before the assumption that fails whenever it is reached.
#include <pthread.h>

extern void __VERIFIER_assume(int);

static void *work(void *arg) {
    __VERIFIER_assume(0);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    return 0;
}
