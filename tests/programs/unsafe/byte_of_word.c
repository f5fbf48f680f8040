// One thread writes a byte in the middle of what another one reads as a whole. The error is
// in one of the two orders only.
//@ variant[sc]: EARLY
//@ variant[sc]: LATE
#include <assert.h>
#include <pthread.h>

#ifdef OPEN
#define CHECK(written) (void)(written)
#elif defined EARLY
#define CHECK(written) assert(written)
#else
#define CHECK(written) assert(!(written))
#endif

static union {
    long word;
    char bytes[8];
} both;

static void *reader(void *arg) {
    CHECK(both.word != 0); //~ VIOLATION: assertion
    return arg;
}

static void *writer(void *arg) {
    both.bytes[2] = 1;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
