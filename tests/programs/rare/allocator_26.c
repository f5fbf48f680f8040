// Inodes and blocks as in a file system: 26 threads each take an inode and look for a free
// block for it. Whether a block is free is looked at under a lock that two blocks share with
// their neighbours only half of the time, so that two threads may take the same one.
//@ models: sc
//@ algorithms: random
//@ seconds: 60
#include <assert.h>
#include <pthread.h>

#define INODES 32
#define BLOCKS 26
#define THREADS 26

static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES];
static int busy[BLOCKS], owners[BLOCKS];

static void *allocate(void *arg) {
    int me = (int)(long)arg;
    int i = me % INODES;
    pthread_mutex_lock(&inode_lock[i]);
    if (inode[i] == 0) {
        int b = i * 2 % BLOCKS;
        for (;;) {
            // The lock of the pair is taken for odd blocks, that of the block itself for even
            // ones, which leaves a window where the search wraps around.
            int lock = b % 4 == 3 ? b - 1 : b;
            pthread_mutex_lock(&block_lock[lock]);
            int free = !busy[b];
            pthread_mutex_unlock(&block_lock[lock]);
            if (free) {
                pthread_mutex_lock(&block_lock[b]);
                busy[b] = 1;
                inode[i] = b + 1;
                owners[b]++;
                assert(owners[b] == 1); //~ VIOLATION: assertion
                pthread_mutex_unlock(&block_lock[b]);
                break;
            }
            b = (b + 1) % BLOCKS;
        }
    }
    pthread_mutex_unlock(&inode_lock[i]);
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < INODES; i++)
        pthread_mutex_init(&inode_lock[i], 0);
    for (int i = 0; i < BLOCKS; i++)
        pthread_mutex_init(&block_lock[i], 0);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, allocate, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
