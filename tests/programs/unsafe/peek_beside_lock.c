// The critical sections touch different variables, but what comes after one of them
// looks into the other. Whoever takes the sections for independent, and does not try
// both orders, never sees the second thread first: the lock is held wherever the write
// could still come later (against Kusano and Wang, section 5.1).
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

static void *first(void *arg) {
    pthread_mutex_lock(&lock);
    a = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&lock);
    b = 1;
    pthread_mutex_unlock(&lock);
    assert(a == 1); //~ VIOLATION: assertion
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, first, 0);
    pthread_create(&t2, 0, second, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return b;
}
