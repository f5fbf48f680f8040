// Nineteen threads write two variables in one order, one looks at them in the other: it has to
// come between two writes, before any other thread has finished.
//@ models: sc tso pso
//@ algorithms: random
//@ seconds: 60
#include <assert.h>
#include <pthread.h>

#define SETTERS 19

static int a, b;

static void *set(void *unused) {
    (void)unused;
    a = 1;
    b = -1;
    return 0;
}

static void *check(void *unused) {
    (void)unused;
    int seen_a = a, seen_b = b;
    assert(seen_a == 0 && seen_b == 0 || seen_a == 1 && seen_b == -1); //~ VIOLATION: assertion
    return 0;
}

int main(void) {
    pthread_t threads[SETTERS + 1];
    for (int i = 0; i < SETTERS; i++)
        pthread_create(&threads[i], 0, set, 0);
    pthread_create(&threads[SETTERS], 0, check, 0);
    for (int i = 0; i <= SETTERS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
