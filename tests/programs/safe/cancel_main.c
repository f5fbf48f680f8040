// The main thread is cancelled by another one while it waits for that; its handler runs, and the
// process goes on.
#include <assert.h>
#include <pthread.h>

static int cleaned;
static pthread_t self;

static void clean(void *unused) {
    cleaned = 1;
}

static void *work(void *unused) {
    void *result;
    pthread_cancel(self);
    pthread_join(self, &result);
    assert(result == PTHREAD_CANCELED && cleaned);
    return unused;
}

int main(void) {
    pthread_t thread;
    self = pthread_self();
    pthread_create(&thread, 0, work, 0);
    pthread_cleanup_push(clean, 0);
    pthread_join(thread, 0);
    pthread_cleanup_pop(0);
    assert(0);
}
