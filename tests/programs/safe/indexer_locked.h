// Threads insert four messages each into one hash table; a free cell is taken by a function
// that locks the table, and the index is as Kusano and Wang print it (Figure 1).
#include <assert.h>
#include <pthread.h>

#define SIZE 128
#define MAX 4

static int table[SIZE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int cas(int *tab, int h, int val, int new_val) {
    int done = 0;
    pthread_mutex_lock(&lock);
    if (tab[h] == val) {
        tab[h] = new_val;
        done = 1;
    }
    pthread_mutex_unlock(&lock);
    return done;
}

static void *thread_routine(void *arg) {
    int tid = (int)(long)arg;
    int m = 0, w, h;
    while (1) {
        if (m < MAX)
            w = (++m) * 11 + tid;
        else
            pthread_exit(0);
        h = (w * 7) % SIZE;
        if (h < 0)
            assert(0);
        while (cas(table, h, 0, w) == 0)
            h = (h + 1) % SIZE;
    }
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, thread_routine, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
