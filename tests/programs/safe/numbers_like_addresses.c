// Two numbers in one word are no address, however large that is.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static volatile uint64_t both = (uint64_t)1 << 32 | 1;

static void *add(void *arg) {
    uint64_t seen = both;
    both = ((seen >> 32) + 1) << 32 | (uint32_t)seen;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, add, 0);
    pthread_join(thread, 0);
    assert(both >> 32 == 2 && (uint32_t)both == 1);
    return 0;
}
