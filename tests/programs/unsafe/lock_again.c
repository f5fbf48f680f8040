// The lock is taken once, if at all; then each further try fails, which the program does not
// expect of the last one.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int get(void) { return pthread_mutex_trylock(&lock) == 0; }

static void *keeper(void *unused) {
    (void)unused;
    int first = get();
    int second = get();
    int third = get();
    assert(!(first && !second && !third)); //~ VIOLATION: assertion
    return 0;
}

static void *other(void *unused) {
    (void)unused;
    if (get()) {
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, keeper, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
