// reach_error is an assertion that never holds.
#include <pthread.h>

extern void reach_error(void);
static int x, y;

static void *work(void *arg) {
    (void)arg;
    x = 1;
    y = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    if (x == 1 && y == 0)
        reach_error(); //~ VIOLATION: assertion
    return 0;
}
