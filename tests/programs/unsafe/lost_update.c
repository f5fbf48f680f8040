// Two unprotected increments: one can get lost.
#include <assert.h>
#include <pthread.h>

static int counter;

static void *work(void *arg) {
    (void)arg;
    counter++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2); //~ VIOLATION: assertion
    return 0;
}
