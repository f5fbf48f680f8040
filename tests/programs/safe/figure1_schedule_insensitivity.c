// Two threads that add to a variable and then look at it. Whatever the order, the first one
// sees at least 2; whether the second one sees 6 depends on the first step of the first one
// only. (Kahlon, "Exploiting schedule insensitivity", Figure 1.)
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int shared;
static int first_saw, second_saw;

static void *first(void *unused) {
    shared += 1;
    shared += 1;
    if (shared >= 2)
        first_saw = 1;
    return unused;
}

static void *second(void *unused) {
    shared += 2;
    shared += 3;
    if (shared >= 6)
        second_saw = 1;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(shared == 7);
    return 0;
}
