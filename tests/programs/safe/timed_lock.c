// A lock with a deadline: taken, or given up when the mutex is busy.
//@ models: sc tso pso
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, taken;

static void *count(void *arg) {
    struct timespec soon = {0, 0};
    int error = pthread_mutex_timedlock(&lock, &soon);
    (void)arg;
    assert(error == 0 || error == ETIMEDOUT);
    if (error == 0) {
        counter++;
        __atomic_fetch_add(&taken, 1, __ATOMIC_SEQ_CST);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, count, 0);
    count(0);
    pthread_join(t, 0);
    assert(counter == taken && taken >= 1);
    return 0;
}
