// A flag that one of two threads may find unset decides what is done.
//@ args: --check assert,uninit
//@ models: sc tso
//@ lazy: skip  it does not look for undefined values
#include <pthread.h>
#include <stdlib.h>

struct job {
    int urgent;
    int size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *job;
static int late;

static void *fill(void *arg) {
    pthread_mutex_lock(&lock);
    job->urgent = 0;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *look(void *arg) {
    pthread_mutex_lock(&lock);
    if (job->urgent) //~ VIOLATION: uninitialised
        late = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    job = malloc(sizeof *job);
    job->size = 1;
    pthread_create(&a, 0, fill, 0);
    pthread_create(&b, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    free(job);
    return 0;
}
