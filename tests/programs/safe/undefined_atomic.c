// An atomic number that was never set: two additions of one are two, whatever it was, and
// who expects what it is by then finds it.
//@ models: sc tso pso
//@ verdict: bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_uint *count;

static void *add(void *arg) {
    atomic_fetch_add(count, 1);
    return arg;
}

int main(void) {
    pthread_t first, second;
    count = malloc(sizeof *count);
    unsigned before = atomic_load(count);
    pthread_create(&first, 0, add, 0);
    pthread_create(&second, 0, add, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(atomic_load(count) == before + 2);
    unsigned three = 3;
    if (before == 1)
        assert(atomic_compare_exchange_strong(count, &three, 5));
    return 0;
}
