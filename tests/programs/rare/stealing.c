// A queue of work: its owner takes from the tail, two thieves from the head. The owner looks at
// the head only once, so that the last item may be taken twice.
//@ models: sc
//@ algorithms: random
//@ seconds: 60
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ITEMS 12

struct queue {
    atomic_int head, tail;
    int items[ITEMS];
};

static struct queue queue;
static atomic_int taken[ITEMS];

static void take(int item) {
    assert(atomic_fetch_add(&taken[item], 1) == 0); //~ VIOLATION: assertion
}

static int steal(struct queue *q, int *item) {
    int head = atomic_load(&q->head);
    if (head >= atomic_load(&q->tail))
        return 0;
    *item = q->items[head];
    return atomic_compare_exchange_strong(&q->head, &head, head + 1);
}

static int pop(struct queue *q, int *item) {
    int head = atomic_load(&q->head);
    int tail = atomic_load(&q->tail) - 1;
    if (tail < head)
        return 0;
    atomic_store(&q->tail, tail);
    *item = q->items[tail];
    return 1;
}

static void *thief(void *unused) {
    int item;
    (void)unused;
    for (int tries = 0; tries < ITEMS; tries++)
        if (steal(&queue, &item))
            take(item);
    return 0;
}

int main(void) {
    pthread_t thieves[2];
    int item;
    for (int i = 0; i < ITEMS; i++)
        queue.items[i] = i;
    atomic_store(&queue.tail, ITEMS);
    pthread_create(&thieves[0], 0, thief, 0);
    pthread_create(&thieves[1], 0, thief, 0);
    while (pop(&queue, &item))
        take(item);
    pthread_join(thieves[0], 0);
    pthread_join(thieves[1], 0);
    return 0;
}
