// The smallest and the largest of what was seen, of inputs that are clamped.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int least = 100, most, turns;

static void *watch(void *unused) {
    for (;;) {
        int value = __VERIFIER_nondet_int();
#ifndef BROKEN
        if (value < 0)
            value = 0;
#endif
        if (value > 100)
            value = 100;
        pthread_mutex_lock(&lock);
        if (value < least)
            least = value;
        if (value > most)
            most = value;
        turns = (turns + 1) & 15;
        assert(least >= 0 && most <= 100);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, watch, 0);
    pthread_create(&b, 0, watch, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
