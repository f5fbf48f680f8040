// A heap object made by one thread, used and freed by another.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *consume(void *arg) {
    int *box = arg;
    int value = *box;
    free(box);
    return (void *)(long)value;
}

int main(void) {
    int *box = malloc(sizeof *box);
    if (!box)
        return 0;
    *box = 11;
    pthread_t t;
    void *result;
    pthread_create(&t, 0, consume, box);
    pthread_join(t, &result);
    assert((long)result == 11);
    return 0;
}
