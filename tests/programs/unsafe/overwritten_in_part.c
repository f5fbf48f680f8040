// A write of which only a part is overwritten at once: what another thread writes before,
// between or after shows in the rest.
//@ variant[sc]: SEEN=0x301
//@ variant[sc]: SEEN=1
//@ variant[sc]: SEEN=5
#include <assert.h>
#include <pthread.h>

#ifndef SEEN
#define SEEN 1
#endif

static union {
    int word;
    char bytes[4];
} both;

static void *whole(void *arg) {
    both.word = 5;
    return arg;
}

static void *twice(void *arg) {
    both.word = 0x300;
    both.bytes[0] = 1;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, twice, 0);
    pthread_create(&b, 0, whole, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifndef OPEN
    assert(both.word != SEEN); //~ VIOLATION: assertion
#endif
}
