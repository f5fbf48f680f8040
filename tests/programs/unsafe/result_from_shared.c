// What a thread returns comes from a variable that another thread changes, and the error
// is in one of the two orders only.
//@ variant[sc]: EARLY
//@ variant[sc]: LATE
#include <assert.h>
#include <pthread.h>

#ifdef EARLY
enum { BEFORE = 1, AFTER = 0 };
#else
enum { BEFORE = 0, AFTER = 1 };
#endif

static long value = BEFORE;

static void *change(void *arg) {
    value = AFTER;
    return arg;
}

static void *look(void *arg) {
    (void)arg;
    return (void *)value;
}

int main(void) {
    pthread_t a, b;
    void *result;
    pthread_create(&a, 0, look, 0);
    pthread_create(&b, 0, change, 0);
    pthread_join(a, &result);
    pthread_join(b, 0);
#ifndef OPEN
    assert(result != (void *)1); //~ VIOLATION: assertion
#endif
}
