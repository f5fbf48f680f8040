// A histogram by remainders, each bar folded back.
#include <assert.h>
#include <pthread.h>
#define BARS 5

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned bars[BARS], next;

static void *count(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        next = (next + 1) % (BARS + 1);
#else
        next = (next + 1) % BARS;
#endif
        unsigned bar = bars[next];
        assert(bar < 10);
        bars[next] = bar < 9 ? bar + 1 : 0;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, count, 0);
    pthread_create(&b, 0, count, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
