// A loop over memory that nobody else can see does not wait for anybody. It never
// ends, which is no violation: the stack before it is shown, and a block that never is.
//@ models: sc tso
#include <pthread.h>
#include <stdlib.h>

static volatile int *where;

static void *work(void *arg) {
    volatile int *block = calloc(1, sizeof *block);
    while (!*block)
        ;
    return arg;
}

int main(void) {
    volatile int flag = 0;
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    while (!flag)
        ;
    where = &flag;
    return 0;
}
