// Threads insert four messages each into one hash table (the indexer of Flanagan
// and Godefroid, POPL 2005).
#include <assert.h>
#include <pthread.h>

#define SIZE 128
#define MESSAGES 4

static int table[SIZE];

static void *work(void *arg) {
    int id = (int)(long)arg;
    for (int m = 1; m <= MESSAGES; m++) {
        int w = m * 11 + id;
        int h = (w * 7) % SIZE;
        assert(h >= 0);
        while (!__sync_bool_compare_and_swap(&table[h], 0, w))
            h = (h + 1) % SIZE;
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
