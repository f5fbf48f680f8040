// Cancellation of threads is not modelled.
#include <pthread.h>

static void *run(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    pthread_cancel(t); //~ UNSUPPORTED: pthread_cancel
    pthread_join(t, 0);
    return 0;
}
