// The pointer may be aimed elsewhere between the store through it and the load.
#include <assert.h>
#include <pthread.h>

static int first, second;
static int *volatile target = &first;

static void *aim(void *arg) {
    target = arg;
    return 0;
}

static void *hit(void *arg) {
    *target = 7;
    assert(*target == 7);  //~ VIOLATION: assertion
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, aim, &second);
    pthread_create(&threads[1], 0, hit, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
