// A lock for several readers or one writer, of compare-and-exchange only, for ever.
//@ models: sc tso pso
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant[sc,tso,pso]: BUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state; // readers, or -1
static int data, copy;

static void *reader(void *arg) {
    for (;;) {
        int seen = state;
        if (seen < 0 || !atomic_compare_exchange_strong(&state, &seen, seen + 1))
            continue;
        assert(data == copy); //~ VIOLATION: assertion
        state--;
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, reader, 0);
    for (;;) {
#ifdef BUG
        int seen = state;
        if (seen > 1 || !atomic_compare_exchange_strong(&state, &seen, -1))
            continue;
#else
        int seen = 0;
        if (!atomic_compare_exchange_strong(&state, &seen, -1))
            continue;
#endif
        data = !data;
        copy = data;
        state = 0;
    }
    return 0;
}
