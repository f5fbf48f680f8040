// Only one interleaving gets to the unknown function: that is enough for unknown.
#include <pthread.h>

extern void mystery(void);
static int x;

static void *work(void *arg) {
    (void)arg;
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    if (x)
        mystery(); //~ UNSUPPORTED: mystery
    pthread_join(t, 0);
    return 0;
}
