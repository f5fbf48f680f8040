// A lock orders the accesses, and so do creation and join.
//@ models: sc tso pso
//@ args: --check all
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *first(void *arg) {
    pthread_mutex_lock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&mutex);
    x += 2;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t a, b;
    x = 1;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return x == 4 ? 0 : 1;
}
