// The divisor is tested and then changed by the other thread.
#include <pthread.h>

static int divisor = 1;

static void *clear(void *arg) {
    (void)arg;
    divisor = 0;
    return 0;
}

int main(void) {
    pthread_t t;
    int result = 0;
    pthread_create(&t, 0, clear, 0);
    if (divisor != 0)
        result = 100 / divisor; //~ VIOLATION: division-by-zero
    pthread_join(t, 0);
    return result == 1;
}
