// Four threads that each work on a slot of their own, by a table that nobody writes, and take
// turns by one word, for ever. Only the word is common to several threads.
// Planted bug: one of them also resets the slot of its neighbour.
//@ models: sc
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant[sc]: BUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 4
#define STEPS 6

static int table[STEPS];
static struct {
    int sum, copy, last;
} slots[THREADS];
static atomic_int turn;

static void *work(void *arg) {
    int me = (int)(long)arg;
    for (;;) {
        slots[me].sum = slots[me].copy = 0;
        for (int i = 0; i < STEPS; i++) {
            slots[me].last = table[i];
            slots[me].sum += slots[me].last;
            slots[me].copy += table[i];
            assert(slots[me].sum == slots[me].copy); //~ VIOLATION: assertion
        }
#ifdef BUG
        if (me == 2)
            slots[me + 1].copy = 0;
#endif
        while (turn != me)
            ;
        turn = (me + 1) % THREADS;
    }
}

int main(void) {
    pthread_t other;
    for (int i = 0; i < STEPS; i++)
        table[i] = i * i + 1;
    for (long i = 1; i < THREADS; i++)
        pthread_create(&other, 0, work, (void *)i);
    work(0);
}
