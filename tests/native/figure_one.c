// Two threads increment what their pointers point to, which is the same; one of them
// looks at the result.
#include <assert.h>
#include <pthread.h>

static int shared;

static void *first(void *arg) {
    int *x = arg;
    int a = *x;
    *x = a + 1;
    assert(*x == a + 1);
    return 0;
}

static void *second(void *arg) {
    int *y = arg;
    int b = *y;
    *y = b + 1;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, &shared);
    pthread_create(&b, 0, second, &shared);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
