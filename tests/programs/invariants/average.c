// A mean whose divisor is never 0.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned sum, samples = 1;

static void *sample(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        sum += 5;
        samples++;
        if (samples == 10) {
            sum = 0;
#ifdef BROKEN
            samples = 0;
#else
            samples = 1;
#endif
        }
        unsigned mean = sum / samples;
        assert(samples < 10);
        sum = mean < 9 ? sum : 0;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, sample, 0);
    pthread_create(&b, 0, sample, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
