// The loop allocates two blocks: what is written to one is not in the other.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int seen;

static void *work(void *argument) {
    seen = 1;
    return argument;
}

int main(void) {
    pthread_t id;
    int *last = 0, *before = 0;
    pthread_create(&id, 0, work, 0);
    for (int i = 0; i < 2; i++) {
        before = last;
        last = malloc(sizeof(int));
        *last = 1;
    }
    if (last && before) {
        *last = 2;
        *before = 3;
        assert(*last == 3); //~ VIOLATION: assertion
    }
    pthread_join(id, 0);
    free(last);
    free(before);
    return 0;
}
