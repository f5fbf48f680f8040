// A handler that is run by pthread_exit jumps within itself; a jump that stays inside the
// handler's scope leaves it in place.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

static int cleaned, jumped;

static void clean(void *unused) {
    jmp_buf here;
    if (setjmp(here) == 0) longjmp(here, 1);
    cleaned++;
}

static void *work(void *unused) {
    jmp_buf here;
    pthread_cleanup_push(clean, 0);
    if (setjmp(here) == 0) longjmp(here, 1);
    jumped++;
    pthread_exit(0);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(cleaned == 1 && jumped == 1);
}
