// Nobody looks at what is written, but it is written to a block that is gone.
#include <pthread.h>
#include <stdlib.h>

struct record {
    int hits;
};

static struct record *record;

static void *count(void *arg) {
    record->hits = 1; //~ VIOLATION: use-after-free
    return arg;
}

int main(void) {
    pthread_t thread;
    record = malloc(sizeof *record);
    pthread_create(&thread, 0, count, 0);
    free(record);
    pthread_join(thread, 0);
    return 0;
}
