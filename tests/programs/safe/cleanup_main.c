// The main thread ends from within, too; the process goes on to the end of the others.
#include <assert.h>
#include <pthread.h>

static int cleaned;

static void *work(void *main_thread) {
    pthread_join(*(pthread_t *)main_thread, 0);
    assert(cleaned == 1);
    return 0;
}

static void clean(void *by) {
    cleaned += *(int *)by;
}

int main(void) {
    static pthread_t self;
    int one = 1;
    pthread_t other;
    self = pthread_self();
    pthread_create(&other, 0, work, &self);
    pthread_cleanup_push(clean, &one);
    pthread_exit(0);
    pthread_cleanup_pop(0);
}
