// Main waits for a variable of its own stack, which the thread may leave as it is.
//@ models: sc tso pso
#include <pthread.h>

static int wanted;

static void *work(void *arg) {
    if (wanted)
        *(volatile int *)arg = 1;
    return 0;
}

int main(void) {
    volatile int flag = 0;
    pthread_t t;
    pthread_create(&t, 0, work, (void *)&flag);
    while (!flag) //~ VIOLATION: deadlock
        ;
    return 0;
}
