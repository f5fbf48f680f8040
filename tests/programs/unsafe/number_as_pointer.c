// One thread writes through a number that never was a pointer: it is put together bit by
// bit. The error is in one of the two orders only.
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

static int x;
static unsigned long number;

static void *reader(void *arg) {
    CHECK(x == 1); //~ VIOLATION: assertion
    return arg;
}

static void *writer(void *arg) {
    *(int *)number = 1;
    return arg;
}

int main(void) {
    unsigned long address = (unsigned long)&x;
    for (int bit = 0; bit < 64; bit++)
        number |= address >> bit & 1 ? 1ul << bit : 0;
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
