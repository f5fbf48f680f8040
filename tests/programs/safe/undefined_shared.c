// A block that nobody has written to holds some value, the same for all who look.
//@ models: sc tso pso
//@ verdict: bounded
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *look(void *arg) {
    int once = *block & 1;
    int again = *block & 1;
    assert(once == again);
    return arg;
}

int main(void) {
    pthread_t first, second;
    block = malloc(sizeof *block);
    pthread_create(&first, 0, look, 0);
    pthread_create(&second, 0, look, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
