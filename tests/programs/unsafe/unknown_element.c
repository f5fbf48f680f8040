// One thread writes to an element of which only the run knows, and another one reads a
// certain one. The error is in one of the two orders only.
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

static int cells[100], at = 70;

static void *reader(void *arg) {
    CHECK(cells[70] == 1); //~ VIOLATION: assertion
    return arg;
}

static void *writer(void *arg) {
    cells[at] = 1;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
