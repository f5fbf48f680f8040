// Elements of an array that were never set, on the stack of one thread and read by another,
// and in a block that is made larger: what was there stays.
//@ models: sc tso pso
//@ verdict: bounded
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int sign;

static void *look(void *arg) {
    int *numbers = arg;
    sign = numbers[1] < 0;
    return 0;
}

int main(void) {
    int numbers[3];
    pthread_t thread;
    numbers[0] = 0;
    pthread_create(&thread, 0, look, numbers);
    pthread_join(thread, 0);
    assert(sign == (numbers[1] < 0));
    int *block = malloc(2 * sizeof *block);
    int kept = block[1];
    block = realloc(block, 3 * sizeof *block);
    assert(block[1] == kept);
    free(block);
    return 0;
}
