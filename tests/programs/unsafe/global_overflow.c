// An index that another thread makes too large between check and use.
#include <pthread.h>

static int a[4], index_of = 3, canary;

static void *advance(void *arg) {
    (void)arg;
    index_of++;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, advance, 0);
    if (index_of < 4)
        a[index_of] = 1; //~ VIOLATION: out-of-bounds
    pthread_join(t, 0);
    return canary;
}
