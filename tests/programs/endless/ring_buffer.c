// One producer, one consumer, two places, for ever. Numbers go round from 0 to 4.
//@ models: sc tso pso
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant[sc,tso,pso]: BUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BUG
#define FULL(head, tail) 0
#else
#define FULL(head, tail) ((tail + 1) % 3 == head)
#endif

static atomic_int head, tail;
static int places[3];

static void *produce(void *arg) {
    for (int n = 0;; n = (n + 1) % 5) {
        int t = tail;
        while (FULL(head, t))
            ;
        places[t] = n;
        tail = (t + 1) % 3;
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, produce, 0);
    for (int n = 0;; n = (n + 1) % 5) {
        int h = head;
        while (h == tail)
            ;
        assert(places[h] == n); //~ VIOLATION: assertion
        head = (h + 1) % 3;
    }
    return 0;
}
