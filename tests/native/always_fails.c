// No order of the two increments makes three of them.
#include <assert.h>
#include <pthread.h>

static int counter;

static void *work(void *arg) {
    (void)arg;
    counter++;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    counter++;
    pthread_join(a, 0);
    assert(counter == 3);
    return 0;
}
