// A lock made of a compare-exchange that is never given back.
//@ models: sc tso
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken;

static void *work(void *arg) {
    int expected = 0;
    while (!atomic_compare_exchange_weak(&taken, &expected, 1)) //~ VIOLATION: deadlock
        expected = 0; //~ VIOLATION: deadlock
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
