// After the join there is nobody left who could set the flag.
//@ models: sc tso pso
#include <pthread.h>

static volatile int flag;

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    while (!flag) //~ VIOLATION: deadlock
        ;
    return 0;
}
