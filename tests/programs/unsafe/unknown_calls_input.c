// What a function that nobody has written gives is any value.
//@ args: --unknown-calls input
#include <assert.h>
#include <pthread.h>

int level(void);
static int high;

static void *work(void *arg) {
    int now = level();
    if (now > 1000)
        high = 1;
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    pthread_join(a, 0);
    assert(!high); //~ VIOLATION: assertion
    return 0;
}
