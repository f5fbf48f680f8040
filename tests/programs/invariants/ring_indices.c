// A ring buffer with two indices that stay in the array.
#include <assert.h>
#include <pthread.h>
#define SIZE 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int buffer[SIZE];
static unsigned head, tail;

static void *put(void *unused) {
    for (int n = 0;; n = !n) {
        pthread_mutex_lock(&lock);
        buffer[head] = n;
#ifdef BROKEN
        head = head + 1;
#else
        head = (head + 1) % SIZE;
#endif
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *get(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        int n = buffer[tail];
        tail = (tail + 1) % SIZE;
        assert(n == 0 || n == 1);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, put, 0);
    pthread_create(&b, 0, get, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
