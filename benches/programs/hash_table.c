// Two threads insert N keys each into a hash table by compare-and-exchange, and count
// what they met on the way. The assertion is about the first key of each thread.
#include <assert.h>
#include <pthread.h>

#define SIZE 16

static unsigned table[SIZE];
static unsigned mine[2];
static unsigned probes, full;

static unsigned insert(unsigned key) {
    unsigned at = key % SIZE;
    for (unsigned tries = 0; tries < SIZE; tries++) {
        unsigned found = __sync_val_compare_and_swap(&table[at], 0, key);
        if (found == 0)
            return tries;
        probes = probes + 1;
        at = (at + 1) % SIZE;
    }
    full = full + 1;
    return SIZE;
}

static void *work(void *arg) {
    unsigned id = (unsigned)(long)arg;
    __atomic_store_n(&mine[id & 1], id + 1, __ATOMIC_SEQ_CST);
    for (unsigned i = 0; i < N; i++)
        insert(1 + i);
    assert(mine[id & 1] == id + 1);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
