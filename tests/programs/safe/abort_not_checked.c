// Who asks for assertions only takes abort for an end of the program like any other.
//@ args: --check assert
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int x;

static void *work(void *arg) {
    (void)arg;
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    if (x == 0)
        abort();
    assert(x == 1);
    return 0;
}
