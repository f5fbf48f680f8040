// An atomic number that was never set may be what makes a waiting thread give up.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int *state;

static void *claim(void *arg) {
    int free = 0;
    if (!atomic_compare_exchange_strong(state, &free, 1))
        assert(free == 1 || free == 2); //~ VIOLATION: assertion
    return arg;
}

int main(void) {
    pthread_t first, second;
    state = malloc(sizeof *state);
    pthread_create(&first, 0, claim, 0);
    pthread_create(&second, 0, claim, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
