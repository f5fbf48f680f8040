// A variable that was never set holds some value, the same whenever its thread looks, and so
// do its copies.
//@ models: sc tso pso
//@ verdict: bounded
#include <assert.h>
#include <pthread.h>

static void *look(void *arg) {
    struct {
        char tag;
        short value;
    } pair, copy;
    pair.tag = 1;
    copy = pair;
    short *value = &copy.value;
    assert((*value & 1) == (*value & 1));
    assert(copy.value == pair.value);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    pthread_join(thread, 0);
    return 0;
}
