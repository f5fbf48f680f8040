// A static local variable is shared by all threads and all calls.
#include <assert.h>
#include <pthread.h>

static int next(void) {
    static int n;
    return __sync_add_and_fetch(&n, 1);
}

static int got[2];

static void *work(void *arg) {
    got[(long)arg] = next();
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(got[0] + got[1] == 3 && got[0] != got[1]);
    return 0;
}
