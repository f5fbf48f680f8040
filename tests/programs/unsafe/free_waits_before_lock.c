// A store to a block that its own thread has freed: it reaches memory at the latest where the
// thread ends, and finds the block gone.
//@ models: sc tso pso
#include <pthread.h>
#include <stdlib.h>

static int *block;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *work(void *arg) {
    free(block);
    pthread_rwlock_rdlock(&lock);
    *block = 0; //~ VIOLATION: use-after-free
    return arg;
}

int main(void) {
    pthread_t thread;
    block = malloc(sizeof *block);
    if (block == 0)
        return 0;
    *block = 1;
    pthread_create(&thread, 0, work, 0);
    return 0;
}
