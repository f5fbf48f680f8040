// Atomic load and atomic store do not make an atomic increment.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *work(void *arg) {
    (void)arg;
    atomic_store(&counter, atomic_load(&counter) + 1);
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
