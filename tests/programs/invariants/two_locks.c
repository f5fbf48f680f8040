// Two counters under two locks, taken in the same order by both threads.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static int rows, columns;

static void *step(void *unused) {
    for (;;) {
        pthread_mutex_lock(&outer);
        rows = (rows + 1) % 3;
        pthread_mutex_lock(&inner);
        columns = rows;
        assert(columns < 3);
        pthread_mutex_unlock(&inner);
        pthread_mutex_unlock(&outer);
    }
    return unused;
}

static void *reset(void *unused) {
    for (int n = 0;; n = !n) {
#ifdef BROKEN
        pthread_mutex_lock(&inner);
        pthread_mutex_lock(&outer);
#else
        pthread_mutex_lock(&outer);
        pthread_mutex_lock(&inner);
#endif
        rows = (rows + 2) % 3;
        columns = n;
        pthread_mutex_unlock(&inner);
        pthread_mutex_unlock(&outer);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, step, 0);
    pthread_create(&b, 0, reset, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
