// Two neighbours in one word: writing one field rewrites the other.
#include <assert.h>
#include <pthread.h>

static struct {
    unsigned a : 4;
    unsigned b : 4;
} shared;

static void *left(void *arg) {
    (void)arg;
    shared.a = 1;
    return 0;
}

static void *right(void *arg) {
    (void)arg;
    shared.b = 1;
    return 0;
}

int main(void) {
    pthread_t x, y;
    pthread_create(&x, 0, left, 0);
    pthread_create(&y, 0, right, 0);
    pthread_join(x, 0);
    pthread_join(y, 0);
    assert(shared.a == 1 && shared.b == 1); //~ VIOLATION: assertion
    return 0;
}
