// Every thread has its own instance of a __thread variable.
//@ executions[optimal,sc]: 1
#include <assert.h>
#include <pthread.h>

static __thread int mine = 10;

static void *work(void *arg) {
    mine += (int)(long)arg;
    assert(mine == 10 + (int)(long)arg);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)1);
    pthread_create(&b, 0, work, (void *)2);
    mine++;
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(mine == 11);
    return 0;
}
