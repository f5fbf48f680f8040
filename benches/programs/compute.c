// Two threads that compute for a while, each for itself, and add up at the end.
#include <pthread.h>

static unsigned long sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) {
    unsigned long own[64], x = (unsigned long)arg;
    for (int at = 0; at < 64; at++)
        own[at] = at;
    for (int k = 0; k < N * 1000; k++) {
        x = x * 6364136223846793005ul + 1442695040888963407ul;
        own[x >> 58] ^= x;
    }
    for (int at = 0; at < 64; at++)
        x += own[at];
    pthread_mutex_lock(&lock);
    sum += x;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)1);
    pthread_create(&b, 0, work, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
