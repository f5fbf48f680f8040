// The result of a thread is freed by its destructor.
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;

static void *run(void *arg) {
    int *mine = malloc(sizeof *mine);
    (void)arg;
    *mine = 1;
    pthread_setspecific(key, mine);
    return mine;
}

int main(void) {
    pthread_t t;
    void *result;
    pthread_key_create(&key, free);
    pthread_create(&t, 0, run, 0);
    pthread_join(t, &result);
    return *(int *)result; //~ VIOLATION: use-after-free
}
