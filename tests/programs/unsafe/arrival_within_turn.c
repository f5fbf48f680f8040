// A store that waits reaches memory while another thread has its turn, between two reads: so
// one round is enough.
//@ models: tso pso
//@ engines: lazy
//@ args: --unwind 3 --rounds 1
#include <assert.h>
#include <pthread.h>

static int x;

static void *write_once(void *arg) {
    x = 1;
    return arg;
}

static void *read_twice(void *arg) {
    int first = x;
    int second = x;
    assert(first == second); //~ VIOLATION: assertion
    return arg;
}

int main(void) {
    pthread_t writer, reader;
    pthread_create(&writer, 0, write_once, 0);
    pthread_create(&reader, 0, read_twice, 0);
    pthread_join(writer, 0);
    pthread_join(reader, 0);
    return 0;
}
