// Accesses come under a mutex at first, and the last one without: the mutex guards nothing, and what
// is between the writes can be seen.
//@ models: sc
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;
static void *change(void *arg) {
    pthread_mutex_lock(&lock);
    value = 1;
    value = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}
static void *look(void *arg) {
    pthread_mutex_lock(&lock);
    int v = value;
    pthread_mutex_unlock(&lock);
    assert(v == 0);
    assert(value == 0); //~ VIOLATION: assertion
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, change, 0);
    pthread_create(&b, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
