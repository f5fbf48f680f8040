// Both threads may find that there is no block yet; then one of the two is lost.
//@ models: sc tso
//@ args: --check leak
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) block;

static void *use(void *arg) {
    if (!block)
        block = malloc(sizeof(int)); //~ VIOLATION: memory-leak
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, use, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
