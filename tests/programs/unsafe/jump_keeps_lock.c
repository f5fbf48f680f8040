// An error leaves the function that has the mutex.
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void change(jmp_buf where) {
    pthread_mutex_lock(&mutex); //~ VIOLATION: deadlock
    if (shared++ == 1) longjmp(where, 1);
    pthread_mutex_unlock(&mutex);
}

static void *work(void *unused) {
    jmp_buf where;
    if (setjmp(where) == 0) change(where);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    work(0);
    pthread_join(one, 0);
    pthread_join(two, 0);
}
