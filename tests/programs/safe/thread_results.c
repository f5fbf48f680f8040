// join gives what the thread returned or handed to pthread_exit.
#include <assert.h>
#include <pthread.h>

static void leave(long value) { pthread_exit((void *)value); }

static void *by_exit(void *arg) {
    leave((long)arg * 2);
    return 0;
}

static void *by_return(void *arg) { return (void *)((long)arg * 3); }

int main(void) {
    pthread_t a, b;
    void *x, *y;
    pthread_create(&a, 0, by_exit, (void *)10);
    pthread_create(&b, 0, by_return, (void *)10);
    pthread_join(b, &y);
    pthread_join(a, &x);
    assert((long)x == 20 && (long)y == 30);
    return 0;
}
