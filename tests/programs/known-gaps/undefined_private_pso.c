// A variable that was never set holds some value, the same whenever its thread looks. Under PSO
// the explorers take all memory for shared, and choose anew: an alarm that is none.
//@ models: pso
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
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    pthread_join(thread, 0);
    return 0;
}
