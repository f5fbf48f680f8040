// The handler is popped without being called before the thread ends from within.
#include <assert.h>
#include <pthread.h>

static int cleaned;

static void clean(void *unused) {
    cleaned = 1;
}

static void *work(void *unused) {
    pthread_cleanup_push(clean, 0);
    pthread_cleanup_pop(0);
    pthread_exit(0);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(cleaned); //~ VIOLATION: assertion
}
