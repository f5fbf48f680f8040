// GCC's __sync functions.
#include <assert.h>
#include <pthread.h>

static int x, lock;

static void *work(void *arg) {
    (void)arg;
    __sync_fetch_and_add(&x, 2);
    return 0;
}

int main(void) {
    assert(__sync_add_and_fetch(&x, 5) == 5);
    assert(__sync_sub_and_fetch(&x, 4) == 1);
    assert(__sync_fetch_and_and(&x, 0) == 1);
    assert(__sync_val_compare_and_swap(&x, 0, 9) == 0);
    assert(!__sync_bool_compare_and_swap(&x, 0, 1));
    assert(__sync_lock_test_and_set(&lock, 1) == 0 && lock == 1);
    __sync_lock_release(&lock);
    __sync_synchronize();
    assert(lock == 0);
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 13);
    return 0;
}
