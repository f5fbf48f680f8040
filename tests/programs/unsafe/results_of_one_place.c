// One place allocates both blocks, in threads that run one after the other.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *work(void *argument) {
    int *block = malloc(sizeof(int));
    *block = 1;
    return block;
}

static int *result(void) {
    pthread_t id;
    void *block;
    pthread_create(&id, 0, work, 0);
    pthread_join(id, &block);
    return block;
}

int main(void) {
    int *first = result(), *second = result();
    *first = 1;
    *second = 5;
    assert(*first == 5); //~ VIOLATION: assertion
    free(first);
    free(second);
    return 0;
}
