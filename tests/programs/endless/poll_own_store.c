// A loop that polls and writes down what it saw, in memory that only its thread uses.
//@ models: sc
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant[sc]: BUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct job {
    int seen, turns;
};

static atomic_int ready;
static int data, seen[2];

static void *reader(void *arg) {
    struct job *mine = arg;
    while (!mine->seen) {
        mine->seen = atomic_load(&ready);
        seen[1] = 1;
        seen[1] = 0;
    }
    assert(data == 7); //~ VIOLATION: assertion
    return 0;
}

int main(void) {
    pthread_t t;
    struct job job = {0, 0};
    pthread_create(&t, 0, reader, &job);
#ifdef BUG
    atomic_store(&ready, 1);
    data = 7;
#else
    data = 7;
    atomic_store(&ready, 1);
#endif
    pthread_join(t, 0);
    return 0;
}
