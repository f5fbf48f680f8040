// At every moment the flag is only set while the data is there, but the assertion
// reads them one after the other.
#include <assert.h>
#include <pthread.h>

static volatile int flag, data;

static void *write(void *arg) {
    data = 1;
    flag = 1;
    flag = 0;
    data = 0;
    return arg;
}

int main(void) {
    pthread_t writer;
    pthread_create(&writer, 0, write, 0);
    assert(!flag || data == 1);  //~ VIOLATION: assertion
    pthread_join(writer, 0);
    return 0;
}
