// pthread's spin locks; their neighbours in memory are nobody's business.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>

static struct {
    int before;
    pthread_spinlock_t lock;
    int counter;
} shared;

static void *count(void *arg) {
    (void)arg;
    pthread_spin_lock(&shared.lock);
    shared.counter++;
    pthread_spin_unlock(&shared.lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_spin_init(&shared.lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, 0, count, 0);
    pthread_create(&b, 0, count, 0);
    if (pthread_spin_trylock(&shared.lock) == 0) {
        shared.counter++;
        pthread_spin_unlock(&shared.lock);
    } else {
        count(0);
    }
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(shared.counter == 3);
    pthread_spin_destroy(&shared.lock);
    return 0;
}
