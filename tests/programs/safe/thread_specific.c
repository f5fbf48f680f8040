// Thread-specific values: each thread has its own, and destructors run at the end
// of a thread, however it ends.
//@ models: sc tso
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static int ended;

static void end(void *value) {
    __atomic_fetch_add(&ended, *(int *)value, __ATOMIC_SEQ_CST);
    free(value);
}

static void *run(void *arg) {
    int *mine = malloc(sizeof *mine);
    assert(pthread_getspecific(key) == 0);
    *mine = arg ? 1 : 10;
    pthread_setspecific(key, mine);
    assert(pthread_getspecific(key) == mine);
    if (arg)
        pthread_exit(mine);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, end);
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, &key);
    pthread_join(a, 0);
    assert(ended == 10 || ended == 11);
    pthread_join(b, 0);
    assert(ended == 11);
    pthread_key_delete(key);
    return 0;
}
