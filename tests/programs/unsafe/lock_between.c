// The mutex is free while its owner sleeps: what was so before the wait need not be after it.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int state;

static void *setter(void *value) {
    pthread_mutex_lock(&lock);
    state = state * 2 + (int)(long)value;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, setter, (void *)1);
    pthread_create(&b, 0, setter, (void *)2);
    pthread_mutex_lock(&lock);
    while (state == 0) {
        pthread_cond_wait(&ready, &lock);
    }
    assert(state != 5); //~ VIOLATION: assertion
    pthread_mutex_unlock(&lock);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
