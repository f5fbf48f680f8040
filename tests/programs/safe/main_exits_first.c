// pthread_exit in main leaves the other threads running.
#include <assert.h>
#include <pthread.h>

static int x;

static void *work(void *arg) {
    (void)arg;
    x++;
    assert(x == 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_exit(0);
}
