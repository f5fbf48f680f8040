// An input decides how many events come before the one that the other thread needs, so
// that the same number is another event.
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

static int extra, done;

static void *first(void *arg) {
    if (arg) extra = 1;
    done = 1;
    return 0;
}

static void *second(void *arg) {
    assert(done);
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, first, __VERIFIER_nondet_bool() ? &one : 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
