// A thread that waits for its parent, who waits for it.
#include <pthread.h>

static pthread_t parent;

static void *work(void *arg) {
    (void)arg;
    pthread_join(parent, 0); //~ VIOLATION: deadlock
    return 0;
}

int main(void) {
    pthread_t t;
    parent = pthread_self();
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0); //~ VIOLATION: deadlock
    return 0;
}
