// One expression reads two shared variables; the world moves in between.
#include <assert.h>
#include <pthread.h>

static int income, spent;

static void *work(void *arg) {
    (void)arg;
    income = 10;
    spent = 10;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    int left = income - spent;
    assert(left >= 0); //~ VIOLATION: assertion
    pthread_join(t, 0);
    return 0;
}
