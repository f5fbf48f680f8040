// The same counter through a helper that gets its address, counting down.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level = 5;

static int lower(int *what) {
#ifdef BROKEN
    if (*what >= 0)
#else
    if (*what > 0)
#endif
        (*what)--;
    else
        *what = 5;
    return *what;
}

static void *work(void *unused) {
    while (1) {
        pthread_mutex_lock(&lock);
        int now = lower(&level);
        pthread_mutex_unlock(&lock);
        assert(now >= 0 && now < 6);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
