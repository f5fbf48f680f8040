// A pointer is tested and then read again, while another thread takes it away.
#include <pthread.h>

static int value;
static int *volatile target = &value;

static void *take(void *arg) {
    target = 0;
    return arg;
}

static void *hit(void *arg) {
    if (target)
        *target = 7;  //~ VIOLATION: null-dereference
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, take, 0);
    pthread_create(&threads[1], 0, hit, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
