// Output may be a cancellation point, or not: both are looked at, with a cleanup handler too.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int cleaned, done;

static void clean(void *unused) {
    cleaned++;
}

static void *work(void *unused) {
    pthread_cleanup_push(clean, 0);
    puts("working");
    done = 1;
    pthread_cleanup_pop(1);
    return &done;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(cleaned == 1);
    assert(result == (done ? &done : PTHREAD_CANCELED));
}
