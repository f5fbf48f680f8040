// Nineteen threads write two variables, one looks at both. Without the lock it may come between
// two writes; with it (-DRIGHT) it never does.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 20
#endif

static int a, b;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void enter(void) {
#ifdef RIGHT
    pthread_mutex_lock(&lock);
#endif
}

static void leave(void) {
#ifdef RIGHT
    pthread_mutex_unlock(&lock);
#endif
}

static void *set(void *arg) {
    (void)arg;
    enter();
    a = 1;
    b = -1;
    leave();
    return 0;
}

static void *check(void *arg) {
    (void)arg;
    enter();
    assert((a == 0 && b == 0) || (a == 1 && b == -1));
    leave();
    return 0;
}

int main(void) {
    pthread_t setters[N - 1], checker;
    for (int i = 0; i < N - 1; i++)
        pthread_create(&setters[i], 0, set, 0);
    pthread_create(&checker, 0, check, 0);
    for (int i = 0; i < N - 1; i++)
        pthread_join(setters[i], 0);
    pthread_join(checker, 0);
    return 0;
}
