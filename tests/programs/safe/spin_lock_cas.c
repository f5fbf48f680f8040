// A spin lock by compare-and-swap: a failed attempt changes nothing.
#include <assert.h>
#include <pthread.h>

static int lock, counter;

static void *work(void *arg) {
    (void)arg;
    while (!__sync_bool_compare_and_swap(&lock, 0, 1))
        ;
    counter++;
    __sync_lock_release(&lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
    return 0;
}
