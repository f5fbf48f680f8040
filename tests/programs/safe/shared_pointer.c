// Two threads let a shared pointer point to variables of their own; a third writes
// through it. Whatever it points to, only one variable changes.
#include <assert.h>
#include <pthread.h>

static int first, second, spare;
static int *volatile target = &spare;

static void *aim(void *arg) {
    target = arg;
    return 0;
}

static void *hit(void *arg) {
    *target = 7;
    return arg;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, aim, &first);
    pthread_create(&threads[1], 0, aim, &second);
    pthread_create(&threads[2], 0, hit, 0);
    for (int at = 0; at < 3; at++)
        pthread_join(threads[at], 0);
    assert(first + second + spare == 7);
    assert(target == &first || target == &second);
    return 0;
}
