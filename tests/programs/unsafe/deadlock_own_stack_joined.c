// The thread got the address of main's variable, and is gone when main waits for it.
//@ models: sc tso pso
#include <pthread.h>

struct box {
    volatile int *flag;
};

static void *work(void *arg) {
    struct box *box = arg;
    return (void *)box->flag;
}

int main(void) {
    volatile int flag = 0;
    struct box box = {&flag};
    pthread_t t;
    pthread_create(&t, 0, work, &box);
    pthread_join(t, 0);
    while (!flag) //~ VIOLATION: deadlock
        ;
    return 0;
}
