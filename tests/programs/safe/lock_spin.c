// To give a spin lock back waits for nobody and leaves nothing waiting: no try fails after it.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_spinlock_t lock;
static atomic_int first;

static void *worker(void *unused) {
    (void)unused;
    pthread_spin_lock(&lock);
    pthread_spin_unlock(&lock);
    atomic_store_explicit(&first, 1, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_spin_init(&lock, 0);
    pthread_create(&a, 0, worker, 0);
    int over = atomic_load_explicit(&first, memory_order_relaxed);
    int busy = pthread_spin_trylock(&lock);
    if (!busy) {
        pthread_spin_unlock(&lock);
    }
    assert(!over || !busy);
    pthread_join(a, 0);
    return 0;
}
