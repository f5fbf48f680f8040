// The two are equal where the branch was taken; beside it the other thread is in between.
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x, y;

static void *work(void *argument) {
    pthread_mutex_lock(&lock);
    x = 1;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t id;
    pthread_create(&id, 0, work, 0);
    _Bool taken = __VERIFIER_nondet_bool();
    if (taken) {
        pthread_mutex_lock(&lock);
        y = x;
    }
    int left = x, right = y;
    if (taken)
        pthread_mutex_unlock(&lock);
    assert(left == right); //~ VIOLATION: assertion
    pthread_join(id, 0);
    return 0;
}
