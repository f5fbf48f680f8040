// Tests the condition once instead of in a loop: another thread may take what it
// was woken for before it has the mutex again.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static void *take(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    if (items == 0)
        pthread_cond_wait(&changed, &lock); //~ VIOLATION: deadlock
    items--;
    assert(items >= 0); //~ VIOLATION: assertion
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, take, 0);
    pthread_mutex_lock(&lock);
    items++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}
