// A barrier of two phases, for ever: nobody is more than one round ahead.
//@ models: sc tso pso
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant[sc,tso,pso]: BUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count, first_open, second_open;
static atomic_int round_of[2];

static void barrier(void) {
    if (atomic_fetch_add(&count, 1) == 1) {
#ifndef BUG
        second_open = 0;
#endif
        first_open = 1;
    }
    while (!first_open) //~ VIOLATION: deadlock
        ;
    if (atomic_fetch_sub(&count, 1) == 1) {
        first_open = 0;
        second_open = 1;
    }
    while (!second_open)
        ;
}

static void *work(void *arg) {
    int me = arg != 0;
    for (;;) {
        round_of[me] = !round_of[me];
        barrier();
        assert(round_of[!me] == round_of[me]); //~ VIOLATION: assertion
        barrier();
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, &count);
    work(0);
    return 0;
}
