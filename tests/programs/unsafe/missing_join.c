// Without a join the result may not be there yet.
#include <assert.h>
#include <pthread.h>

static int result;

static void *work(void *arg) {
    (void)arg;
    result = 42;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    assert(result == 42); //~ VIOLATION: assertion
    pthread_join(t, 0);
    return 0;
}
