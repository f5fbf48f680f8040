// Locks on the heap, in structs, taken by helpers under conditions; one is a condition
// variable's, one is given back on two ways, and one is destroyed by who comes last.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    int items, taken;
};

static void enter(struct queue *q, int wanted) {
    if (wanted) {
        pthread_mutex_lock(&q->lock);
    }
}

static void leave(struct queue *q, int wanted) {
    if (wanted) {
        pthread_mutex_unlock(&q->lock);
    }
}

static void *producer(void *it) {
    struct queue *q = it;
    enter(q, 1);
    q->items++;
    pthread_cond_signal(&q->filled);
    leave(q, 1);
    return 0;
}

static void *consumer(void *it) {
    struct queue *q = it;
    pthread_mutex_lock(&q->lock);
    while (q->items == 0) {
        pthread_cond_wait(&q->filled, &q->lock);
    }
    int before = q->items;
    q->items = before - 1;
    if (q->items > 0) {
        pthread_mutex_unlock(&q->lock);
        return 0;
    }
    q->taken = 1;
    pthread_mutex_unlock(&q->lock);
    return 0;
}

int main(void) {
    struct queue *q = malloc(sizeof *q);
    if (!q) {
        return 0;
    }
    pthread_mutex_init(&q->lock, 0);
    pthread_cond_init(&q->filled, 0);
    q->items = q->taken = 0;
    pthread_t a, b;
    pthread_create(&a, 0, producer, q);
    pthread_create(&b, 0, consumer, q);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(q->items == 0 && q->taken);
    pthread_mutex_destroy(&q->lock);
    free(q);
    return 0;
}
