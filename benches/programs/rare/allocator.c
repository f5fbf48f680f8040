// Inodes and blocks of a file system: each of 26 threads takes an inode and looks for a free
// block for it. Looking without the block's lock, two may take the same; with -DRIGHT they
// look under it.
#include <assert.h>
#include <pthread.h>

#define N 26
#define INODES 32
#define BLOCKS 26

static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES], busy[BLOCKS], owners[BLOCKS];

static int try_block(int block, int number) {
#ifdef RIGHT
    pthread_mutex_lock(&block_lock[block]);
    int free = !busy[block];
#else
    int free = !busy[block];
    pthread_mutex_lock(&block_lock[block]);
#endif
    if (free) {
        busy[block] = 1;
        inode[number] = block + 1;
        assert(++owners[block] == 1);
    }
    pthread_mutex_unlock(&block_lock[block]);
    return free;
}

static void *create(void *arg) {
    int number = (int)(long)arg % INODES;
    pthread_mutex_lock(&inode_lock[number]);
    if (inode[number] == 0) {
        int block = number * 2 % BLOCKS;
        while (!try_block(block, number))
            block = (block + 1) % BLOCKS;
    }
    pthread_mutex_unlock(&inode_lock[number]);
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < INODES; i++)
        pthread_mutex_init(&inode_lock[i], 0);
    for (int i = 0; i < BLOCKS; i++)
        pthread_mutex_init(&block_lock[i], 0);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, create, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
