// Two threads add each other's sum; 2 rounds reach at most the 6th number.
#include <assert.h>
#include <pthread.h>

#define ROUNDS 2

static int i = 1, j = 1;

static void *left(void *arg) {
    (void)arg;
    for (int k = 0; k < ROUNDS; k++)
        i += j;
    return 0;
}

static void *right(void *arg) {
    (void)arg;
    for (int k = 0; k < ROUNDS; k++)
        j += i;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(i <= 8 && j <= 8);
    return 0;
}
