// Lamport's bakery with tickets that are given back when the shop is empty; who would need
// too high a ticket comes again.
//@ models: sc
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant[sc]: BUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define MOST 3
static atomic_int choosing[2], ticket[2];
static int inside;

static void *work(void *arg) {
    int me = arg != 0, other = !me;
    for (;;) {
        choosing[me] = 1;
        int next = ticket[other] + 1;
        if (next <= MOST)
            ticket[me] = next;
        choosing[me] = 0;
        if (next > MOST)
            continue;
#ifndef BUG
        while (choosing[other])
            ;
#endif
        for (;;) {
            int his = ticket[other];
            if (!his || his > next || (his == next && me < other))
                break;
        }
        inside++;
        assert(inside == 1); //~ VIOLATION: assertion
        inside--;
        ticket[me] = 0;
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, &inside);
    work(0);
    return 0;
}
