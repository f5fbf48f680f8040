// An allocator of blocks of a few sizes. Each thread has a cache of free blocks for each
// size, which it fills from a shared pool and empties into it in batches; the pool has a
// mutex for each size. New blocks are cut from a shared arena.
// Hits, misses, refills, high-water marks and the time of the last use of each block are
// kept for tuning. The assertion: who got a block has it alone.
// BUG: the batch that is taken out of the pool is measured before the pool is locked.
//@ algorithms: guided
//@ engines: explore
//@ variant: GOOD
//@ variant[sc]: BUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define CLASSES 2
#define BLOCKS 8 // of each size
#define CACHE 4
#define BATCH 2

// A block is known by its number; 0 is none.
struct stack {
    int count;
    int blocks[BLOCKS];
};

struct pool {
    pthread_mutex_t lock;
    struct stack free;
    int cut; // blocks taken from the arena so far
};

struct cache {
    struct stack free[CLASSES];
    long hits, misses;
};

static struct pool pools[CLASSES] = {
    {.lock = PTHREAD_MUTEX_INITIALIZER},
    {.lock = PTHREAD_MUTEX_INITIALIZER},
};
static struct cache caches[THREADS];

// For tuning only.
static struct {
    atomic_long requests, releases, refills, flushes, empty;
    atomic_long live, most;
    atomic_long clock;
} usage;
static pthread_mutex_t usage_lock = PTHREAD_MUTEX_INITIALIZER;
static long histogram[CLASSES + 1];
static atomic_long last_use[CLASSES][BLOCKS + 1];

static atomic_int owner[CLASSES][BLOCKS + 1];

static int class_of(unsigned bytes) {
    return bytes <= 16 ? 0 : 1;
}

static void note_request(int class, int block) {
    atomic_fetch_add(&usage.requests, 1);
    long live = atomic_fetch_add(&usage.live, 1) + 1;
    long most = atomic_load(&usage.most);
    if (live > most)
        atomic_store(&usage.most, live);
    if (block > 0 && block <= BLOCKS)
        atomic_store(&last_use[class][block], atomic_fetch_add(&usage.clock, 1));
    pthread_mutex_lock(&usage_lock);
    histogram[class]++;
    pthread_mutex_unlock(&usage_lock);
}

static void note_release(void) {
    atomic_fetch_add(&usage.releases, 1);
    atomic_fetch_sub(&usage.live, 1);
    pthread_mutex_lock(&usage_lock);
    histogram[CLASSES]++;
    pthread_mutex_unlock(&usage_lock);
}

static void push(struct stack *stack, int block) {
    if (stack->count >= 0 && stack->count < BLOCKS)
        stack->blocks[stack->count++] = block;
}

static int pop(struct stack *stack) {
    if (stack->count <= 0 || stack->count > BLOCKS)
        return 0;
    return stack->blocks[--stack->count];
}

// Cuts new blocks from the arena; the pool is locked.
static void cut(struct pool *pool, int count) {
    while (count-- > 0 && pool->cut < BLOCKS)
        push(&pool->free, ++pool->cut);
}

// Moves a batch from the pool to the cache.
static void refill(struct cache *cache, int class) {
    struct pool *pool = &pools[class];
    int moved[BATCH];
#ifdef BUG
    int count = pool->free.count;
    pthread_mutex_lock(&pool->lock);
#else
    pthread_mutex_lock(&pool->lock);
    int count = pool->free.count;
#endif
    if (count < BATCH) {
        cut(pool, BATCH - count);
        count = pool->free.count;
    }
    int taken = 0;
    while (taken < BATCH && count > 0)
        moved[taken++] = pool->free.blocks[--count & (BLOCKS - 1)];
    pool->free.count = count;
    pthread_mutex_unlock(&pool->lock);
    while (taken > 0)
        push(&cache->free[class], moved[--taken]);
    atomic_fetch_add(&usage.refills, 1);
}

// Moves a batch from the cache to the pool.
static void flush(struct cache *cache, int class) {
    struct pool *pool = &pools[class];
    pthread_mutex_lock(&pool->lock);
    for (int i = 0; i < BATCH; i++) {
        int block = pop(&cache->free[class]);
        if (block)
            push(&pool->free, block);
    }
    pthread_mutex_unlock(&pool->lock);
    atomic_fetch_add(&usage.flushes, 1);
}

// Gives 0 if there is no memory left.
static int allocate(int me, int class) {
    struct cache *cache = &caches[me];
    int block = pop(&cache->free[class]);
    if (block) {
        cache->hits++;
    } else {
        cache->misses++;
        refill(cache, class);
        block = pop(&cache->free[class]);
    }
    if (!block)
        atomic_fetch_add(&usage.empty, 1);
    note_request(class, block);
    return block;
}

static void release(int me, int class, int block) {
    struct cache *cache = &caches[me];
    push(&cache->free[class], block);
    if (cache->free[class].count >= CACHE)
        flush(cache, class);
    note_release();
}

static void drain(int me) {
    for (int class = 0; class < CLASSES; class++)
        while (caches[me].free[class].count > 0)
            flush(&caches[me], class);
}

static void *work(void *arg) {
    int me = (int)(intptr_t)arg % THREADS;
    for (int round = 0; round < ROUNDS; round++) {
        int class = class_of(me == 0 ? 64 : 8);
        int block = allocate(me, class);
        if (block <= 0 || block > BLOCKS)
            continue;
        int before = atomic_exchange(&owner[class][block], me + 1);
        assert(before == 0); //~ VIOLATION: assertion
        atomic_store(&owner[class][block], 0);
        release(me, class, block);
    }
    drain(me);
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], 0, work, (void *)i))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
