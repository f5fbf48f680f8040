// A sorted set as a linked list without locks (T. Harris, DISC 2001). The last bit of a
// link says that the node it belongs to is deleted; whoever comes by unlinks such nodes.
// Readers, updates and unlinked nodes are counted, and an audit log keeps the last
// operations. The assertion is about membership only.
// BUG: a node is unlinked without being marked first, so that an insertion behind it is
// lost.
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
#define THREADS 4
#endif
#define LOG 32

struct node {
    _Atomic(uintptr_t) next;
    int key;
    atomic_int visits;
};

struct list {
    struct node *head, *tail;
};

enum action { INSERTED, REMOVED, FOUND, MISSED };

struct record {
    enum action action;
    int key;
    int thread;
};

// What is known about the life of the list; nobody decides anything by it.
static struct {
    atomic_int inserted, removed, hits, misses;
    atomic_int steps, retries, unlinked;
} statistics;

static struct record audit[LOG];
static atomic_uint logged;

static struct list set;

static struct node *pointer(uintptr_t link) {
    return (struct node *)(link & ~(uintptr_t)1);
}

static bool is_marked(uintptr_t link) {
    return link & 1;
}

static uintptr_t marked(uintptr_t link) {
    return link | 1;
}

static void note(enum action action, int key, int thread) {
    unsigned at = atomic_fetch_add(&logged, 1) % LOG;
    audit[at].action = action;
    audit[at].key = key;
    audit[at].thread = thread;
    switch (action) {
    case INSERTED:
        atomic_fetch_add(&statistics.inserted, 1);
        break;
    case REMOVED:
        atomic_fetch_add(&statistics.removed, 1);
        break;
    case FOUND:
        atomic_fetch_add(&statistics.hits, 1);
        break;
    case MISSED:
        atomic_fetch_add(&statistics.misses, 1);
        break;
    }
}

static struct node *new_node(int key, struct node *next) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        exit(1);
    node->key = key;
    atomic_init(&node->visits, 0);
    atomic_init(&node->next, (uintptr_t)next);
    return node;
}

static void list_init(struct list *list) {
    list->tail = new_node(INT32_MAX, 0);
    list->head = new_node(INT32_MIN, list->tail);
}

// Finds the first node with a key that is not below, and the one before it. Nodes
// that are marked are unlinked on the way.
static struct node *search(struct list *list, int key, struct node **before) {
again:;
    struct node *left = list->head;
    struct node *at = pointer(atomic_load(&left->next));
    for (;;) {
        uintptr_t next = atomic_load(&at->next);
        while (at != list->tail && is_marked(next)) {
            uintptr_t expected = (uintptr_t)at;
            if (!atomic_compare_exchange_strong(&left->next, &expected,
                                                (uintptr_t)pointer(next))) {
                atomic_fetch_add(&statistics.retries, 1);
                goto again;
            }
            atomic_fetch_add(&statistics.unlinked, 1);
            at = pointer(next);
            next = atomic_load(&at->next);
        }
        atomic_fetch_add(&statistics.steps, 1);
        atomic_fetch_add(&at->visits, 1);
        if (at == list->tail || at->key >= key) {
            *before = left;
            return at;
        }
        left = at;
        at = pointer(next);
    }
}

static bool insert(struct list *list, int key, int thread) {
    struct node *node = new_node(key, 0);
    for (;;) {
        struct node *before, *at = search(list, key, &before);
        if (at != list->tail && at->key == key) {
            free(node);
            note(MISSED, key, thread);
            return false;
        }
        atomic_store(&node->next, (uintptr_t)at);
        uintptr_t expected = (uintptr_t)at;
        if (atomic_compare_exchange_strong(&before->next, &expected, (uintptr_t)node)) {
            note(INSERTED, key, thread);
            return true;
        }
        atomic_fetch_add(&statistics.retries, 1);
    }
}

// Marks the node; unlinking is left to the next one who comes by, if it fails here.
static bool erase(struct list *list, int key, int thread) {
    for (;;) {
        struct node *before, *at = search(list, key, &before);
        if (at == list->tail || at->key != key) {
            note(MISSED, key, thread);
            return false;
        }
        uintptr_t next = atomic_load(&at->next);
        if (is_marked(next))
            continue;
#ifndef BUG
        uintptr_t unmarked = next;
        if (!atomic_compare_exchange_strong(&at->next, &unmarked, marked(next))) {
            atomic_fetch_add(&statistics.retries, 1);
            continue;
        }
#endif
        uintptr_t expected = (uintptr_t)at;
        if (atomic_compare_exchange_strong(&before->next, &expected, next))
            atomic_fetch_add(&statistics.unlinked, 1);
        note(REMOVED, key, thread);
        return true;
    }
}

static bool contains(struct list *list, int key, int thread) {
    struct node *at = list->head;
    while (at != list->tail && at->key < key) {
        atomic_fetch_add(&statistics.steps, 1);
        at = pointer(atomic_load(&at->next));
    }
    bool found = at != list->tail && at->key == key && !is_marked(atomic_load(&at->next));
    note(found ? FOUND : MISSED, key, thread);
    return found;
}

static void *work(void *arg) {
    int me = (int)(intptr_t)arg;
    switch (me) {
    case 0:
        erase(&set, 20, me);
        break;
    case 1:
        insert(&set, 30, me);
        break;
    case 2:
        insert(&set, 50, me);
        break;
    default:
        contains(&set, 10 * me, me);
        break;
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    list_init(&set);
    insert(&set, 20, -1);
    insert(&set, 40, -1);
    for (intptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], 0, work, (void *)i))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(contains(&set, 30, -1)); //~ VIOLATION: assertion
    assert(contains(&set, 40, -1)); //~ VIOLATION: assertion
    assert(!contains(&set, 20, -1)); //~ VIOLATION: assertion
    return 0;
}
