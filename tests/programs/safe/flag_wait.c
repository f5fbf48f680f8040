// Waiting for a flag in an empty loop ends, and then the data is there.
#include <assert.h>
#include <pthread.h>

static volatile int flag;
static int data;

static void *producer(void *arg) {
    (void)arg;
    data = 5;
    flag = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    while (!flag)
        ;
    assert(data == 5);
    pthread_join(t, 0);
    return 0;
}
