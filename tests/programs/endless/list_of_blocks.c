// Blocks are made and freed for ever; only how they hang together counts.
//@ models: sc tso
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant[sc,tso]: BUG
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct block {
    struct block *next;
    int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *first;
static int count;

static void *add(void *arg) {
    for (;;) {
        struct block *block = malloc(sizeof *block);
        block->value = 1;
        pthread_mutex_lock(&lock);
        if (count < 2) {
            block->next = first;
            first = block;
            count++;
            block = 0;
        }
        pthread_mutex_unlock(&lock);
        free(block);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    for (;;) {
        pthread_mutex_lock(&lock);
        struct block *block = first;
        if (block) {
            first = block->next; //~ VIOLATION: use-after-free
            count--;
        }
#ifdef BUG
        if (block && count == 1)
            free(first);
#endif
        pthread_mutex_unlock(&lock);
        if (block)
            assert(block->value == 1); //~ VIOLATION: use-after-free
        free(block); //~ VIOLATION: double-free
    }
    return 0;
}
