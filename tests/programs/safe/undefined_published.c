// A block that one helper makes and another one publishes: whoever gets it sees the same.
//@ models: sc tso pso
//@ verdict: bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(unsigned char *) published;
static int seen[2];

static unsigned char *make(void) { return malloc(4); }

static void publish(unsigned char *block) { atomic_store(&published, block); }

static void *look(void *arg) {
    unsigned char *block = atomic_load(&published);
    int *mine = arg;
    if (block)
        *mine = 1 + (block[2] > 100);
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, look, &seen[0]);
    pthread_create(&second, 0, look, &seen[1]);
    publish(make());
    pthread_join(first, 0);
    pthread_join(second, 0);
    if (seen[0] && seen[1])
        assert(seen[0] == seen[1]);
    return 0;
}
