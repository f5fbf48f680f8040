// A skip list without locks (K. Fraser 2004; Herlihy and Shavit, chapter 14). A node has a
// tower of links, one for each level it takes part in; the last bit of a link says that
// its node is deleted at this level. A node is in the set as soon as it is linked on the
// lowest level, and until it is marked there.
// Steps on each level, retries, heights and the age of nodes are kept for statistics. The
// assertion: what is in the set at the end, and that only one thread took out a key.
// BUG: who finds a node already marked on the lowest level takes it for its own deletion.
//@ algorithms: guided
//@ engines: explore
//@ variant: GOOD
//@ variant[sc]: BUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 3
#endif
#define LEVELS 2

struct node {
    int key;
    int height;
    _Atomic(uintptr_t) next[LEVELS];
    atomic_int visits;
    long born;
};

struct skip_list {
    struct node *head, *tail;
};

// Nobody decides anything by these.
static struct {
    atomic_long steps[LEVELS];
    atomic_long retries, unlinked, clock;
    atomic_int heights[LEVELS + 1];
    atomic_long oldest;
} statistics;
static pthread_mutex_t histogram_lock = PTHREAD_MUTEX_INITIALIZER;
static int histogram[8];

static struct skip_list set;
static atomic_int taken;

static struct node *pointer(uintptr_t link) {
    return (struct node *)(link & ~(uintptr_t)1);
}

static bool is_marked(uintptr_t link) {
    return link & 1;
}

static void note_operation(int kind, long steps) {
    pthread_mutex_lock(&histogram_lock);
    histogram[kind & 7] += 1;
    if (steps > histogram[7])
        histogram[7] = (int)steps;
    pthread_mutex_unlock(&histogram_lock);
}

static struct node *new_node(int key, int height) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        exit(1);
    node->key = key;
    node->height = height;
    node->born = atomic_fetch_add(&statistics.clock, 1);
    atomic_init(&node->visits, 0);
    for (int level = 0; level < LEVELS; level++)
        atomic_init(&node->next[level], 0);
    atomic_fetch_add(&statistics.heights[height < 0 || height > LEVELS ? 0 : height], 1);
    return node;
}

static void init(struct skip_list *list) {
    list->tail = new_node(INT32_MAX, LEVELS);
    list->head = new_node(INT32_MIN, LEVELS);
    for (int level = 0; level < LEVELS; level++)
        atomic_store(&list->head->next[level], (uintptr_t)list->tail);
}

// Heights are drawn from the key, so that a run can be repeated.
static int height_of(int key) {
    return key % 4 == 0 ? 2 : 1;
}

// The neighbours of a key on each level. Marked nodes are unlinked on the way.
static bool find(struct skip_list *list, int key, struct node *before[LEVELS],
                 struct node *after[LEVELS]) {
    long steps = 0;
again:;
    struct node *left = list->head, *at = 0;
    for (int level = LEVELS - 1; level >= 0; level--) {
        at = pointer(atomic_load(&left->next[level]));
        for (;;) {
            uintptr_t next = atomic_load(&at->next[level]);
            while (is_marked(next)) {
                uintptr_t expected = (uintptr_t)at;
                if (!atomic_compare_exchange_strong(&left->next[level], &expected,
                                                    (uintptr_t)pointer(next))) {
                    atomic_fetch_add(&statistics.retries, 1);
                    goto again;
                }
                atomic_fetch_add(&statistics.unlinked, 1);
                at = pointer(next);
                next = atomic_load(&at->next[level]);
            }
            steps++;
            atomic_fetch_add(&statistics.steps[level], 1);
            atomic_fetch_add(&at->visits, 1);
            if (at->key >= key)
                break;
            left = at;
            at = pointer(next);
        }
        before[level] = left;
        after[level] = at;
    }
    note_operation(0, steps);
    return at->key == key;
}

static bool insert(struct skip_list *list, int key) {
    struct node *before[LEVELS], *after[LEVELS];
    int height = height_of(key);
    for (;;) {
        if (find(list, key, before, after))
            return false;
        struct node *node = new_node(key, height);
        for (int level = 0; level < height; level++)
            atomic_store(&node->next[level], (uintptr_t)after[level]);
        uintptr_t expected = (uintptr_t)after[0];
        if (!atomic_compare_exchange_strong(&before[0]->next[0], &expected, (uintptr_t)node)) {
            atomic_fetch_add(&statistics.retries, 1);
            free(node);
            continue;
        }
        for (int level = 1; level < height; level++) {
            for (;;) {
                uintptr_t above = (uintptr_t)after[level];
                if (atomic_compare_exchange_strong(&before[level]->next[level], &above,
                                                   (uintptr_t)node))
                    break;
                atomic_fetch_add(&statistics.retries, 1);
                find(list, key, before, after);
                if (is_marked(atomic_load(&node->next[level])))
                    return true;
                atomic_store(&node->next[level], (uintptr_t)after[level]);
            }
        }
        note_operation(1, height);
        return true;
    }
}

// Marks the tower from above; who marks the lowest level has taken the key out.
static bool erase(struct skip_list *list, int key) {
    struct node *before[LEVELS], *after[LEVELS];
    if (!find(list, key, before, after))
        return false;
    struct node *node = after[0];
    for (int level = node->height - 1; level > 0 && level < LEVELS; level--) {
        uintptr_t next = atomic_load(&node->next[level]);
        while (!is_marked(next))
            atomic_compare_exchange_strong(&node->next[level], &next, next | 1);
    }
    uintptr_t next = atomic_load(&node->next[0]);
    for (;;) {
        if (is_marked(next)) {
#ifdef BUG
            return true;
#else
            return false;
#endif
        }
        if (atomic_compare_exchange_strong(&node->next[0], &next, next | 1))
            break;
        atomic_fetch_add(&statistics.retries, 1);
    }
    long age = atomic_load(&statistics.clock) - node->born;
    if (age > atomic_load(&statistics.oldest))
        atomic_store(&statistics.oldest, age);
    find(list, key, before, after);
    note_operation(2, age);
    return true;
}

static bool contains(struct skip_list *list, int key) {
    struct node *left = list->head;
    for (int level = LEVELS - 1; level >= 0; level--) {
        struct node *at = pointer(atomic_load(&left->next[level]));
        while (at->key < key) {
            atomic_fetch_add(&statistics.steps[level], 1);
            left = at;
            at = pointer(atomic_load(&left->next[level]));
        }
        if (at->key == key)
            return !is_marked(atomic_load(&at->next[0]));
    }
    return false;
}

static void *work(void *arg) {
    int me = (int)(intptr_t)arg;
    switch (me) {
    case 0:
    case 1:
        if (erase(&set, 10))
            atomic_fetch_add(&taken, 1);
        break;
    default:
        insert(&set, 4 * me + 8);
        break;
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    init(&set);
    insert(&set, 10);
    for (intptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], 0, work, (void *)i))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(taken == 1); //~ VIOLATION: assertion
    assert(!contains(&set, 10)); //~ VIOLATION: assertion
    for (int i = 2; i < THREADS; i++)
        assert(contains(&set, 4 * i + 8)); //~ VIOLATION: assertion
    return 0;
}
