// Threads jump at the same time, each within its own functions.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

static int done;
static _Thread_local jmp_buf *way_out;

static void fail(int code) {
    longjmp(*way_out, code);
}

static void *work(void *number) {
    jmp_buf here;
    way_out = &here;
    int code = setjmp(here);
    if (code == 0) fail(*(int *)number);
    assert(code == *(int *)number);
    __atomic_fetch_add(&done, code, __ATOMIC_SEQ_CST);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    int numbers[2] = {3, 4};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, &numbers[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(done == 7);
}
