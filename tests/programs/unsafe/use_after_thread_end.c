// A pointer into the stack of a thread that has ended.
#include <pthread.h>

static int *shared;

static void *work(void *arg) {
    (void)arg;
    int local = 1;
    shared = &local;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return *shared; //~ VIOLATION: use-after-free
}
