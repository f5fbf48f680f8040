// A queue of work with its owner at the tail and two thieves at the head. Wrong, the owner looks
// at the head before it has taken the item away; right (-DRIGHT), after it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 4
#define ITEMS 4

static atomic_int head, tail;
static int items[SIZE];
static atomic_int taken[ITEMS];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void use(int item) {
    assert(atomic_fetch_add(&taken[item], 1) == 0);
}

static void push(int item) {
    int t = atomic_load(&tail);
    items[t % SIZE] = item;
    atomic_store(&tail, t + 1);
}

static int pop(void) {
    int t = atomic_load(&tail) - 1;
#ifdef RIGHT
    atomic_store(&tail, t);
    if (atomic_load(&head) <= t)
        return items[t % SIZE];
    atomic_store(&tail, t + 1);
#else
    if (atomic_load(&head) <= t) {
        atomic_store(&tail, t);
        return items[t % SIZE];
    }
#endif
    int item = -1;
    pthread_mutex_lock(&m);
    t = atomic_load(&tail) - 1;
    atomic_store(&tail, t);
    if (atomic_load(&head) <= t)
        item = items[t % SIZE];
    else
        atomic_store(&tail, t + 1);
    pthread_mutex_unlock(&m);
    return item;
}

static int steal(void) {
    int item = -1;
    pthread_mutex_lock(&m);
    int h = atomic_load(&head);
    atomic_store(&head, h + 1);
    if (h < atomic_load(&tail))
        item = items[h % SIZE];
    else
        atomic_store(&head, h);
    pthread_mutex_unlock(&m);
    return item;
}

static void *thief(void *arg) {
    (void)arg;
    for (int i = 0; i < 2; i++) {
        int item = steal();
        if (item >= 0)
            use(item);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    int item;
    pthread_create(&a, 0, thief, 0);
    pthread_create(&b, 0, thief, 0);
    for (int i = 0; i < ITEMS; i++) {
        push(i);
        if (i % 2 && (item = pop()) >= 0)
            use(item);
    }
    while ((item = pop()) >= 0)
        use(item);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
