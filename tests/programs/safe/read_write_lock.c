// A read-write lock made of two counters: nobody writes while somebody reads.
//@ algorithms: optimal guided
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int writing, readers, x, y;

static void *writer(void *arg) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(writing == 0 && readers == 0);
    writing = 1;
    __VERIFIER_atomic_end();
    x = 3;
    writing = 0;
    return arg;
}

static void *reader(void *arg) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(writing == 0);
    readers = readers + 1;
    __VERIFIER_atomic_end();
    y = x;
    assert(y == x);
    __VERIFIER_atomic_begin();
    readers = readers - 1;
    __VERIFIER_atomic_end();
    return arg;
}

int main(void) {
    pthread_t threads[4];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_create(&threads[2], 0, writer, 0);
    pthread_create(&threads[3], 0, reader, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
