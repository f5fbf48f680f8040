// SafeStack: free places of an array, linked by indices. Who pops takes the link of the first
// place away, so that no other can pop it meanwhile; yet a link that comes back late lets two
// own the same place.
//@ models: sc tso pso
//@ algorithms: stateful
//@ engines: explore
//@ seconds: 60
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef PLACES
#define PLACES 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

static struct {
    int value;
    atomic_int next;
} places[PLACES];
static atomic_int head, count;

static int pop(void) {
    while (count > 1) {
        int first = head;
        int next = atomic_exchange(&places[first].next, -1);
        if (next < 0)
            continue;
        int seen = first;
        if (atomic_compare_exchange_strong(&head, &seen, next)) {
            count--;
            return first;
        }
        places[first].next = next;
    }
    return -1;
}

static void push(int place) {
    int first = head;
    do
        places[place].next = first;
    while (!atomic_compare_exchange_strong(&head, &first, place));
    count++;
}

static void *work(void *arg) {
    int me = (int)(long)arg;
    for (int round = 0; round < ROUNDS; round++) {
        int place;
        do
            place = pop();
        while (place < 0);
        places[place].value = me;
        assert(places[place].value == me); //~ VIOLATION: assertion
        push(place);
    }
    return 0;
}

int main(void) {
    pthread_t t[THREADS];
    count = PLACES;
    for (int place = 0; place < PLACES; place++)
        places[place].next = place < PLACES - 1 ? place + 1 : -1;
    for (long i = 1; i < THREADS; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    work(0);
    for (int i = 1; i < THREADS; i++)
        pthread_join(t[i], 0);
    return 0;
}
