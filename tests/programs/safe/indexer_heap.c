// The indexer as a structure on the heap that begins with its mutex. One execution.
//@ algorithms: guided
//@ args: --check assert,memory
//@ executions[guided,sc]: 1
#include <pthread.h>
#include <stdlib.h>

enum { SIZE = 128, THREADS = 14 };

struct index {
    pthread_mutex_t lock;
    int next;
    int used;
    int cells[SIZE];
};

static int put(struct index *index, unsigned at, int message) {
    int done = 0;
    pthread_mutex_lock(&index->lock);
    if (index->cells[at] == 0) {
        index->cells[at] = message;
        index->used++;
        done = 1;
    }
    pthread_mutex_unlock(&index->lock);
    return done;
}

static int number(struct index *index) {
    pthread_mutex_lock(&index->lock);
    int id = index->next++;
    pthread_mutex_unlock(&index->lock);
    return id;
}

static void *run(void *arg) {
    struct index *index = arg;
    int id = number(index);
    for (int m = 1; m <= 4; m++) {
        unsigned message = m * 11 + id;
        unsigned at = message * 7 % SIZE;
        while (!put(index, at, message))
            at = (at + 1) % SIZE;
    }
    return 0;
}

int main(void) {
    struct index *index = malloc(sizeof *index);
    pthread_mutex_init(&index->lock, 0);
    index->next = index->used = 0;
    for (int i = 0; i < SIZE; i++)
        index->cells[i] = 0;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, run, index);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
