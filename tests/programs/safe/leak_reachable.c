// What is freed, still reachable, or in the hands of a thread that has not ended is
// not lost; a pointer into a block is a pointer to it.
//@ models: sc tso
//@ args: --check leak
//@ variant: PLAIN
//@ variant: JOIN
#include <pthread.h>
#include <stdlib.h>

struct pair {
    int first, second;
};

static int *middle;
static _Thread_local int *own;

static void *work(void *arg) {
    int *freed = malloc(sizeof *freed);
    free(freed);
    free(arg);
    return malloc(1);
}

int main(void) {
    pthread_t t;
    struct pair *pair = malloc(sizeof *pair);
    middle = &pair->second;
    own = malloc(sizeof *own);
    int *given = malloc(sizeof *given), *held = malloc(sizeof *held);
    pthread_create(&t, 0, work, given);
    *held = 1;
#ifdef JOIN
    void *result;
    pthread_join(t, &result);
    free(result);
#endif
    exit(*held - 1);
}
