// A loop waits for a change through a pointer that another thread exchanges; the first turn
// may still look at the old place.
//@ models: sc tso pso
#include <pthread.h>

static int x = 1, y = 2;
static int *place = &x;

static void *work(void *arg) {
    place = &y;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    while (!__sync_bool_compare_and_swap(place, 0, 1)) //~ VIOLATION: deadlock
        ;
    return 0;
}
