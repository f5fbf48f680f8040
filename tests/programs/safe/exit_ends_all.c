// exit ends the whole program: nobody runs after it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int x;

static void *work(void *arg) {
    (void)arg;
    x = 1;
    exit(0);
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    assert(0);
    return 0;
}
