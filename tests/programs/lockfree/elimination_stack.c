// The stack of Hendler, Shavit and Yerushalmi: an operation that meets another one at the top
// of the stack offers itself in a slot, where a push and a pop can cancel out. Pops that were
// there, and pushes that were cancelled, give their blocks back: a pop that still looks at a
// push in a slot may find a new pop in the same block and slot, and takes its value again
// (ABA). Corrected: blocks are not used a second time.
// CLIENT: what each thread does, + for push and - for pop; FILL: elements at the beginning.
// As in a crowd, operations try the slots first; STACK_FIRST: only if there is another one at
// the top. Each thread has its own blocks and slot; SHARED: they take any that are free. ONCE:
// a thread for each string, which knows no more than what it is to push. Eight threads:
//   heddle check --engine lazy --rounds 3 --unwind 8 elimination_stack.c -- -DBUG -DONCE
//       '-DCLIENT="+","+","+","-","-","-","-"'
//@ models: sc tso
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant[sc,tso]: BUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef CLIENT
#define CLIENT "-", "+-", "-"
#endif
#ifdef ONCE
#define SHARED
#endif
#ifndef FILL
#define FILL 0
#endif

static const char *const client[] = {CLIENT};
#define THREADS (int)(sizeof client / sizeof *client)
#define MOST 10
#define VALUE(at, i) (1 + FILL + MOST * (at) + (i))
#define VALUES VALUE(THREADS, 0)

struct op {
    struct op *next;
    int offer, value;
};

static struct op blocks[THREADS][MOST];
static int block_taken[THREADS][MOST], slot_taken[MOST];
static struct op *_Atomic top, *_Atomic location[MOST];
static atomic_int collision; // the last one's slot + 1
static atomic_int popped[VALUES];

static int __VERIFIER_atomic_take(int *taken) {
    int i = 0;
    while (taken[i])
        i++;
    taken[i] = 1;
    return i;
}

static void give_back(struct op *p) {
#ifdef BUG
    __atomic_store_n(&block_taken[0][p - blocks[0]], 0, __ATOMIC_SEQ_CST);
#endif
}

// The value that is popped, 0 if there is none, -1 if there was another operation.
static int on_stack(struct op *p, char kind) {
    struct op *first = top;
    if (kind == '+') {
        p->next = first;
        return atomic_compare_exchange_strong(&top, &first, p) ? 0 : -1;
    }
    if (!first)
        return 0;
    struct op *next = first->next;
    return atomic_compare_exchange_strong(&top, &first, next) ? first->value : -1;
}

static int change(int slot, struct op *from, struct op *to) {
    return atomic_compare_exchange_strong(&location[slot], &from, to);
}

static int value_of(struct op *q) {
    int value = q->value; //~ VIOLATION: null-dereference
    give_back(q);
    return value;
}

static int offer(int slot, char kind) {
    return 2 * slot + (kind == '+');
}

static int eliminate(struct op *p, char kind, int mine) {
    int value = 0;
    p->offer = offer(mine, kind);
    for (;;) {
        location[mine] = p;
        int his = atomic_exchange(&collision, mine + 1) - 1;
        struct op *q = his >= 0 ? location[his] : 0;
        int fits = q && q->offer == offer(his, kind ^ '+' ^ '-');
        if (!change(mine, p, 0)) {
            // Somebody has found this one.
            if (kind == '-') {
                value = value_of(location[mine]);
                location[mine] = 0;
            }
            break;
        }
        if (fits && change(his, q, kind == '+' ? p : 0)) {
            if (kind == '-')
                value = value_of(q);
            break;
        }
        value = on_stack(p, kind);
        if (value >= 0)
            break;
    }
    if (kind == '-')
        give_back(p);
    return value;
}

static void operation(char kind, int value, int me) {
#ifdef SHARED
    int row = 0;
#else
    int row = me;
#endif
    struct op *p = &blocks[row][__VERIFIER_atomic_take(block_taken[row])];
    if (kind == '+')
        p->value = value;
    int got = -1;
#ifdef STACK_FIRST
    got = on_stack(p, kind);
#endif
    if (got < 0) {
#ifdef SHARED
        int slot = __VERIFIER_atomic_take(slot_taken);
        got = eliminate(p, kind, slot);
        __atomic_store_n(&slot_taken[slot], 0, __ATOMIC_SEQ_CST);
#else
        got = eliminate(p, kind, me);
#endif
    }
    if (got > 0) {
        int times = ++popped[got];
        assert(times == 1); //~ VIOLATION: assertion
    }
}

static void *once(void *arg) {
    int value = (int)(long)arg;
    operation(value ? '+' : '-', value, 0);
    return 0;
}

static void *work(void *arg) {
    int me = (int)(long)arg;
    for (int i = 0; client[me][i]; i++)
        operation(client[me][i], VALUE(me, i), me);
    return 0;
}

int main(void) {
    pthread_t t[THREADS];
    for (int i = 0; i < FILL; i++)
        operation('+', 1 + i, 0);
#ifdef ONCE
    for (int i = 0; i < THREADS; i++) {
        long value = *client[i] == '+' ? VALUE(i, 0) : 0;
        pthread_create(&t[i], 0, once, (void *)value);
    }
    pthread_join(t[0], 0);
#else
    for (long i = 1; i < THREADS; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    work(0);
#endif
    for (int i = 1; i < THREADS; i++)
        pthread_join(t[i], 0);
    // Nothing is lost.
    for (struct op *p = top; p; p = p->next)
        popped[p->value]++;
    for (int i = 0; i < FILL; i++)
        assert(popped[1 + i] == 1); //~ VIOLATION: assertion
    for (int at = 0; at < THREADS; at++)
        for (int i = 0; client[at][i]; i++)
            assert(popped[VALUE(at, i)] == (client[at][i] == '+')); //~ VIOLATION: assertion
    return 0;
}
