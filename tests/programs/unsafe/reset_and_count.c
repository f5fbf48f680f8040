// One thread sets a counter back and counts, another one counts: it can be 2.
#include <assert.h>
#include <pthread.h>

static int counter;

static void *reset(void *arg) {
    counter = 0;
    counter = counter + 1;
    return arg;
}

static void *count(void *arg) {
    counter = counter + 1;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reset, 0);
    pthread_create(&b, 0, count, 0);
    pthread_join(b, 0);
    assert(counter != 2); //~ VIOLATION: assertion
    return 0;
}
