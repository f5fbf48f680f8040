// Szymanski's mutual exclusion for two threads, for ever.
//@ models: sc
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant[sc]: BUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2];
static int inside;

static void *work(void *arg) {
    int me = arg != 0, other = !me;
    for (;;) {
        flag[me] = 1;
        while (flag[other] >= 3)
            ;
        flag[me] = 3;
        if (flag[other] == 1) {
            flag[me] = 2;
            while (flag[other] != 4)
                ;
        }
        flag[me] = 4;
#ifndef BUG
        while (me == 1 && flag[other] >= 2)
            ;
#endif
        inside++;
        assert(inside == 1); //~ VIOLATION: assertion
        inside--;
        while (me == 0 && flag[other] >= 2 && flag[other] <= 3)
            ;
        flag[me] = 0;
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, &inside);
    work(0);
    return 0;
}
