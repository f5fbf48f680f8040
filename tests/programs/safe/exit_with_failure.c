// exit with any code is an end like any other.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int x;

static void *work(void *arg) {
    x = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    if (x == 1)
        exit(EXIT_FAILURE);
    pthread_join(t, 0);
    if (x == 1)
        _exit(3);
    return 1;
}
