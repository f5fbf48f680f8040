// abort() is how a program says that something is wrong.
#include <pthread.h>
#include <stdlib.h>

static int x;

static void *work(void *arg) {
    x = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    if (x == 1)
        abort(); //~ VIOLATION: abort
    pthread_join(t, 0);
    return 0;
}
