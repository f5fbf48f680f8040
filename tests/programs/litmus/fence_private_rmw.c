// A read-modify-write of a thread's own variable is a full fence on processors
// with TSO (`lock addl $0, (%rsp)`): it drains the store buffer.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>

static int x, y;

static void *left(void *arg) {
    int own = 0;
    (void)arg;
    x = 1;
    __sync_fetch_and_add(&own, 1);
    return (void *)(long)y;
}

static void *right(void *arg) {
    int own = 0;
    (void)arg;
    y = 1;
    __sync_fetch_and_add(&own, 1);
    return (void *)(long)x;
}

int main(void) {
    pthread_t a, b;
    void *r1, *r2;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, &r1);
    pthread_join(b, &r2);
    assert(r1 || r2);
    return 0;
}
