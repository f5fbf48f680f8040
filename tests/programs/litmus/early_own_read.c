// A thread reads its own store of y while that waits, and then x, before the other thread's
// stores are made. If the read of y had to wait for its store, y could not be 2 in the end.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>

int x, y, first, second;

static void *fenced(void *argument) {
    x = 1;
    __sync_synchronize();
    y = 1;
    return argument;
}

static void *early(void *argument) {
    y = 2;
    first = y;
    second = x;
    return argument;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, fenced, 0);
    pthread_create(&threads[1], 0, early, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(!(first == 2 && second == 0 && y == 2)); //~ VIOLATION[tso,pso]: assertion
    return 0;
}
