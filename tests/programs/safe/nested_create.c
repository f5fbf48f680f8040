// A thread that makes a thread.
#include <assert.h>
#include <pthread.h>

static int x;

static void *grandchild(void *arg) {
    (void)arg;
    x += 2;
    return 0;
}

static void *child(void *arg) {
    (void)arg;
    pthread_t t;
    x = 1;
    pthread_create(&t, 0, grandchild, 0);
    pthread_join(t, 0);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    pthread_join(t, 0);
    assert(x == 3);
    return 0;
}
