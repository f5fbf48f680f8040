// A mutex is handed over by a plain store behind its initialisation: under PSO the other
// thread may get it first.
//@ models: sc tso pso
//@ lazy[pso]: skip  it stops at the read of what was never written
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *volatile shared;

static void *make(void *arg) {
    pthread_mutex_t *mutex = malloc(sizeof *mutex);
    pthread_mutex_init(mutex, 0);
    shared = mutex;
    return arg;
}

static void *use(void *arg) {
    pthread_mutex_t *mutex = shared;
    if (mutex) {
        pthread_mutex_lock(mutex); //~ VIOLATION[pso]: mutex-misuse
        pthread_mutex_unlock(mutex);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, make, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
