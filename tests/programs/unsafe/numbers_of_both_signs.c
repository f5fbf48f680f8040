// Numbers that grow away from 0 on both sides. Only if the threads take turns at every step,
// the lowest is reached, which has fewer bits than a word, and a sign.
//@ models: sc tso pso
//@ engines: lazy
//@ args: --rounds 5
#include <assert.h>
#include <pthread.h>

static int x = 1, y = 1;

static void *take_y(void *arg) {
    for (int k = 0; k < 5; k++)
        x -= y;
    return arg;
}

static void *take_x(void *arg) {
    for (int k = 0; k < 5; k++)
        y -= x;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, take_y, 0);
    pthread_create(&b, 0, take_x, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x > -21); //~ VIOLATION: assertion
    return 0;
}
