// A block that is only accessed under a mutex, but freed without it, between the lock and the
// access: the end of an object is an access to all of it.
//@ models: sc
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int *block;

static void *use(void *arg) {
    (void)arg;
    pthread_mutex_lock(&other);
    pthread_mutex_lock(&lock);
    int *mine = block;
    pthread_mutex_unlock(&other);
    *mine = 1; //~ VIOLATION: use-after-free
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *give_back(void *arg) {
    (void)arg;
    pthread_mutex_lock(&other);
    free(block);
    pthread_mutex_unlock(&other);
    return 0;
}

int main(void) {
    block = malloc(sizeof *block);
    if (!block)
        return 0;
    pthread_t a, b;
    pthread_create(&a, 0, use, 0);
    pthread_create(&b, 0, give_back, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
