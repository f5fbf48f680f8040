// The data stays once it is there, so it does not matter what happens between the
// two reads of the assertion. TSO keeps the order of the stores.
//@ models: sc tso
#include <assert.h>
#include <pthread.h>

static volatile int flag, data;

static void *write(void *arg) {
    data = 1;
    flag = 1;
    flag = 0;
    return arg;
}

int main(void) {
    pthread_t writer;
    pthread_create(&writer, 0, write, 0);
    assert(!flag || data == 1);
    pthread_join(writer, 0);
    return 0;
}
