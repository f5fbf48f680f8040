// What a compare-and-exchange looks for, or puts there, comes from a variable that
// another thread changes, and the error is in one of the two orders only.
//@ variant[sc]: EXPECTED EARLY
//@ variant[sc]: EXPECTED LATE
//@ variant[sc]: NEW EARLY
//@ variant[sc]: NEW LATE
#include <assert.h>
#include <pthread.h>

#ifdef EARLY
enum { BEFORE = 1, AFTER = 0 };
#else
enum { BEFORE = 0, AFTER = 1 };
#endif

static int value = BEFORE, done = 2;

static void *change(void *arg) {
    value = AFTER;
    return arg;
}

static void *exchange(void *arg) {
    int seen = __atomic_load_n(&value, __ATOMIC_SEQ_CST);
#ifdef EXPECTED
    __sync_bool_compare_and_swap(&done, seen + 1, 1);
#else
    __sync_bool_compare_and_swap(&done, 2, seen);
#endif
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, exchange, 0);
    pthread_create(&b, 0, change, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifndef OPEN
    assert(done != 1); //~ VIOLATION: assertion
#endif
}
