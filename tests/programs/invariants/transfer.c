// What one account loses, the other gains.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ours = 10, theirs;

static void *give(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        if (ours > 0) {
            ours--;
            theirs++;
        } else {
            ours += 1;
#ifdef BROKEN
            theirs -= 2;
#else
            theirs -= 1;
#endif
        }
        assert(ours + theirs == 10);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, give, 0);
    pthread_create(&b, 0, give, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
