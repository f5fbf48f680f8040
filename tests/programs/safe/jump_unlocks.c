// Where the jump leads to, the mutex is given back that the function held which was left.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void change(jmp_buf where) {
    pthread_mutex_lock(&mutex);
    if (shared++ == 0) longjmp(where, 1);
    pthread_mutex_unlock(&mutex);
}

static void *work(void *unused) {
    jmp_buf where;
    if (setjmp(where) == 0) change(where);
    else pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    work(0);
    pthread_join(other, 0);
    assert(shared == 2);
}
