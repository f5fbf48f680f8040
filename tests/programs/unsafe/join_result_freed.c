// The result of a thread is stored where nothing is any more.
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    void **result = malloc(sizeof *result);
    pthread_create(&t, 0, work, 0);
    free(result);
    pthread_join(t, result); //~ VIOLATION: use-after-free
    return 0;
}
