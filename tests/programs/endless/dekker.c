// Dekker's mutual exclusion, for ever; forgetting to step back makes both wait.
//@ models: sc tso pso
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant[sc,tso,pso]: BUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int inside;

static void *work(void *arg) {
    int me = arg != 0;
    for (;;) {
        wants[me] = 1;
        while (wants[!me]) { //~ VIOLATION: deadlock
#ifndef BUG
            if (turn != me) {
                wants[me] = 0;
                while (turn != me)
                    ;
                wants[me] = 1;
            }
#endif
        }
        inside++;
        assert(inside == 1);
        inside--;
        turn = !me;
        wants[me] = 0;
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, &inside);
    work(0);
    return 0;
}
