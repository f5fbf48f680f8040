// Two blocks of the same helper need not hold the same.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static unsigned char *blocks[2];

static unsigned char *make(void) { return malloc(2); }

static void *look(void *arg) {
    assert(blocks[0][1] == blocks[1][1]); //~ VIOLATION: assertion
    return arg;
}

int main(void) {
    pthread_t thread;
    blocks[0] = make();
    blocks[1] = make();
    pthread_create(&thread, 0, look, 0);
    pthread_join(thread, 0);
    return 0;
}
