// Peterson's mutual exclusion, for ever.
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
#ifdef BUG
        turn = me;
#else
        turn = !me;
#endif
        while (wants[!me] && turn == !me)
            ;
        inside++;
        assert(inside == 1); //~ VIOLATION: assertion
        inside--;
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
