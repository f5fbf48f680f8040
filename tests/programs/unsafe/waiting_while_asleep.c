// A thread waits for a mutex for ever in an execution that is not explored to
// its end: the other order of the two locks must be found all the same.
#include <assert.h>
#include <pthread.h>

static int x, y;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *look(void *arg) {
    (void)arg;
    assert(x == 0); //~ VIOLATION: assertion
    return 0;
}

static void *keep(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    return 0;
}

static void *set(void *arg) {
    (void)arg;
    y = y;
    pthread_mutex_lock(&lock);
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, look, 0);
    pthread_create(&b, 0, keep, 0);
    pthread_create(&c, 0, set, 0);
    return 0;
}
