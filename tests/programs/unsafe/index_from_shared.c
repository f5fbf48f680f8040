// Another thread decides whether an index leads from one array into the next one, and the
// error is in one of the two orders only.
//@ variant[sc]: EARLY
//@ variant[sc]: LATE
#include <assert.h>
#include <pthread.h>

#ifdef EARLY
enum { BEFORE = 2, AFTER = 0 };
#else
enum { BEFORE = 0, AFTER = 2 };
#endif

static int at = BEFORE;
static struct {
    int cells[2], after[2];
} both;

static void *change(void *arg) {
    at = AFTER;
    return arg;
}

static void *writer(void *arg) {
    both.cells[at & 3] = 1;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, change, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifndef OPEN
    assert(both.after[0] == 0); //~ VIOLATION: assertion
#endif
}
