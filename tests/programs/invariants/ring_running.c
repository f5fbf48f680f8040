// Indices that run over: only their difference is bounded.
#include <assert.h>
#include <pthread.h>
#define SIZE 4u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char buffer[SIZE];
static unsigned head, tail;

static void *put(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        if (head - tail <= SIZE) {
#else
        if (head - tail < SIZE) {
#endif
            buffer[head % SIZE] = 1;
            head++;
        } else {
            tail++;
        }
        assert(head - tail <= SIZE);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, put, 0);
    pthread_create(&b, 0, put, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
