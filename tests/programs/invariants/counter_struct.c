// A counter and its lock in one struct, handed to the threads by its address.
#include <assert.h>
#include <pthread.h>

struct gauge {
    pthread_mutex_t lock;
    int value;
    int limit;
};

static struct gauge gauge = {PTHREAD_MUTEX_INITIALIZER, 0, 4};

static void *turn(void *argument) {
    struct gauge *it = argument;
    for (;;) {
        pthread_mutex_lock(&it->lock);
#ifdef BROKEN
        if (it->value <= 4)
#else
        if (it->value < 4)
#endif
            it->value += 1;
        else
            it->value = 0;
        assert(it->value <= it->limit);
        pthread_mutex_unlock(&it->lock);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, turn, &gauge);
    pthread_create(&b, 0, turn, &gauge);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
