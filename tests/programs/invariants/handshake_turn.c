// Two threads take turns; whose turn it is is 0 or 1.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn;

static void *flip(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        turn = turn ? turn - 1 : 2;
#else
        turn = 1 - turn;
#endif
        assert(turn == 0 || turn == 1);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, flip, 0);
    pthread_create(&b, 0, flip, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
