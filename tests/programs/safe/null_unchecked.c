// A null dereference that is not looked for ends the process, as a failed assertion does; so
// does a division by zero. What comes behind it does not happen.
//@ models: sc tso pso
//@ args: --check assert,deadlock
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *pointer, zero, reached;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    int found = arg ? *pointer : 1 / zero;
    reached = 1 + 0 * found;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, &a);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(0);
    return 0;
}
