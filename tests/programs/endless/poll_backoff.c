// Loops that poll and yield the processor now and then: how often they have looked decides
// about nothing else, so it is no part of a state.
//@ models: sc
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant[sc]: BUG
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int ready, done;
static int data;

static void *reader(void *arg) {
    unsigned long looks = 0;
    (void)arg;
    while (!atomic_load(&ready)) {
        looks++;
        if (looks % 16 == 0)
            sched_yield();
    }
    assert(data == 7); //~ VIOLATION: assertion
    atomic_store(&done, 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
#ifdef BUG
    atomic_store(&ready, 1);
    data = 7;
#else
    data = 7;
    atomic_store(&ready, 1);
#endif
    unsigned looks = 0;
    while (!atomic_load(&done)) {
        if (++looks % 10 == 0)
            sched_yield();
    }
    pthread_join(t, 0);
    return 0;
}
