// `assert` without <assert.h> is a function that nobody declares; it means the same.
//@ models: sc tso pso
#include <pthread.h>

static int x;

static void *work(void *arg) {
    x++;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2); //~ VIOLATION: assertion
    return 0;
}
