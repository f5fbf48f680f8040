// The work-stealing queue of Chase and Lev: the owner pushes and takes at the bottom, thieves
// steal at the top. BUG: the owner does not compete for the last element. NO_FENCE: it looks at
// the top before all see that it lowered the bottom. LATE: an element may be seen after the
// bottom that covers it.
// WORK: what the owner does, + for push and - for take; THIEVES, STEALS: attempts of each.
//@ models: sc tso pso
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant[sc,tso,pso]: BUG
//@ variant[tso,pso]: NO_FENCE
//@ variant[pso]: LATE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef WORK
#define WORK "++-+--"
#endif
#ifndef THIEVES
#define THIEVES 2
#endif
#ifndef STEALS
#define STEALS 1
#endif
#define SIZE 2
#define MOST 10

#ifdef NO_FENCE
#define LOWERED memory_order_release
#else
#define LOWERED memory_order_seq_cst
#endif
#ifdef LATE
#define RAISED memory_order_relaxed
#else
#define RAISED memory_order_seq_cst
#endif

static atomic_int top, bottom, elements[SIZE];
static atomic_int got[MOST];

static int push(int value) {
    int b = bottom, t = top;
    if (b - t == SIZE)
        return 0;
    atomic_store_explicit(&elements[b % SIZE], value, memory_order_relaxed);
    atomic_store_explicit(&bottom, b + 1, RAISED);
    return 1;
}

static int take(void) {
    int b = bottom - 1;
    atomic_store_explicit(&bottom, b, LOWERED);
    int t = top;
    if (t > b) {
        bottom = b + 1;
        return 0;
    }
    int value = elements[b % SIZE];
    if (t == b) {
#ifdef BUG
        top = t + 1;
#else
        if (!atomic_compare_exchange_strong(&top, &t, t + 1))
            value = 0;
#endif
        bottom = b + 1;
    }
    return value;
}

// Gives 0 if there is nothing, or somebody else has it.
static int steal(void) {
    int t = top, b = bottom;
    if (t >= b)
        return 0;
    int value = elements[t % SIZE];
    if (!atomic_compare_exchange_strong(&top, &t, t + 1))
        return 0;
    assert(value); //~ VIOLATION: assertion
    return value;
}

static void use(int value) {
    if (value) {
        int times = ++got[value];
        assert(times == 1); //~ VIOLATION: assertion
    }
}

static void *thief(void *arg) {
    for (int i = 0; i < STEALS; i++)
        use(steal());
    return arg;
}

int main(void) {
    pthread_t t[THIEVES];
    int pushed = 0;
    for (int i = 0; i < THIEVES; i++)
        pthread_create(&t[i], 0, thief, 0);
    for (const char *kind = WORK; *kind; kind++)
        if (*kind == '+')
            pushed += push(pushed + 1);
        else
            use(take());
    for (int i = 0; i < THIEVES; i++)
        pthread_join(t[i], 0);
    // Nothing is lost.
    for (int value; (value = take()) != 0;)
        use(value);
    for (int value = 1; value <= pushed; value++)
        assert(got[value] == 1); //~ VIOLATION: assertion
    return 0;
}
