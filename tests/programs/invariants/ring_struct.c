// A ring in a struct, with a count beside the indices.
#include <assert.h>
#include <pthread.h>

struct ring {
    pthread_mutex_t lock;
    int slots[8];
    int first, count;
};

static struct ring ring = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void push(struct ring *it, int value) {
#ifdef BROKEN
    if (it->count <= 8) {
#else
    if (it->count < 8) {
#endif
        it->slots[(it->first + it->count) & 7] = value;
        it->count++;
    } else {
        it->first = (it->first + 1) & 7;
        it->count = 0;
    }
}

static void *work(void *unused) {
    for (;;) {
        pthread_mutex_lock(&ring.lock);
        push(&ring, 3);
        assert(ring.count >= 0 && ring.count <= 8);
        pthread_mutex_unlock(&ring.lock);
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
