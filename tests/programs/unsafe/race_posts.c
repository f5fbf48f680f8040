// Two posts of a semaphore are not ordered with each other.
//@ models: sc tso
//@ args: --check race
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static int data;
static sem_t done;
static atomic_int passed;

static void *first(void *arg) {
    data = 1; //~ VIOLATION: data-race
    sem_post(&done);
    atomic_store_explicit(&passed, 1, memory_order_relaxed);
    return arg;
}

static void *second(void *arg) {
    if (atomic_load_explicit(&passed, memory_order_relaxed)) {
        sem_post(&done);
        data = 2; //~ VIOLATION: data-race
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    sem_init(&done, 0, 0);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
