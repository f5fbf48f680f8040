// What the last check looks at is looked at only after a rare order of the others. The
// writes to it count no less.
#include <assert.h>
#include <pthread.h>

static int first, second, seen;
static int hidden, guard;

static void *one(void *arg) {
    first = 1;
    if (guard)
        hidden = 1;
    second = 1;
    return arg;
}

static void *two(void *arg) {
    guard = 1;
    seen = second - first;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (seen == -1)
        assert(hidden == 0); //~ VIOLATION: assertion
    return 0;
}
