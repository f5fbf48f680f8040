// Both threads are created at the same place, and only one has ended.
#include <assert.h>
#include <pthread.h>

int x;

static void *work(void *argument) {
    x = 1;
    x = 0;
    return argument;
}

static void start(pthread_t *id) { pthread_create(id, 0, work, 0); }

int main(void) {
    pthread_t first, second;
    start(&first);
    start(&second);
    pthread_join(second, 0);
    assert(x == 0); //~ VIOLATION: assertion
    pthread_join(first, 0);
    return 0;
}
