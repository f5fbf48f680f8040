// With an argument, one of the threads waits for ever before it does what the other one
// has to wait for.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static int ready, value;

static void *writer(void *arg) {
    while (arg) sched_yield();
    value = 1;
    ready = 1;
    return 0;
}

static void *reader(void *arg) {
    (void)arg;
    int seen = value;
    if (ready) assert(seen);
    return 0;
}

int main(int argc, char **argv) {
    pthread_t one, two;
    pthread_create(&one, 0, writer, argc > 1 ? argv : 0);
    pthread_create(&two, 0, reader, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
