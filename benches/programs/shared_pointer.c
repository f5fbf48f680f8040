// Two threads let a shared pointer point to variables of their own and write through it.
#include <assert.h>
#include <pthread.h>

static int first, second, spare;
static int *volatile target = &spare;

static void *work(void *arg) {
    target = arg;
    *target = 7;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, &first);
    pthread_create(&b, 0, work, &second);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(first == 7 || second == 7);
    return 0;
}
