// One thread frees what the other still reads.
#include <pthread.h>
#include <stdlib.h>

static int *box;

static void *release(void *arg) {
    (void)arg;
    free(box);
    return 0;
}

int main(void) {
    box = malloc(sizeof *box);
    if (!box)
        return 0;
    *box = 3;
    pthread_t t;
    pthread_create(&t, 0, release, 0);
    int value = *box; //~ VIOLATION: use-after-free
    pthread_join(t, 0);
    return value - 3;
}
