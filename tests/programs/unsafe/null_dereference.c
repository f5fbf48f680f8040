// The pointer is set only if the other thread was quick enough.
#include <pthread.h>

static int cell = 1;
static int *p;

static void *publish(void *arg) {
    (void)arg;
    p = &cell;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, publish, 0);
    int value = *p; //~ VIOLATION: null-dereference
    pthread_join(t, 0);
    return value - 1;
}
