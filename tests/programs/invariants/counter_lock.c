// A counter that two threads keep between 0 and 7, under a mutex.
#include <assert.h>
#include <pthread.h>
#ifdef BROKEN
#define MOST 8
#else
#define MOST 7
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *up(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        if (count < MOST)
            count++;
        else
            count = 0;
        assert(count >= 0 && count <= 7);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, up, 0);
    pthread_create(&b, 0, up, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
