// However many there are, a lock keeps them apart: what is shown is said to be shown for as many
// threads as there may be.
//@ args: --max-threads 4
//@ verdict: bounded
//@ lazy: skip  the bound is the explorer's
#include <assert.h>
#include <pthread.h>

static int inside;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *enter(void *arg) {
    pthread_mutex_lock(&lock);
    inside++;
    assert(inside == 1);
    inside--;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    while (1)
        pthread_create(&t, 0, enter, 0);
}
