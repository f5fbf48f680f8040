// The queue of Michael and Scott, with nodes that are used again. Links carry a counter that
// changes with them; without it, a node that left the queue and came back is taken for the one
// that was seen before (ABA).
// CLIENT: what each thread does, + for enqueue and - for dequeue; FILL: elements at the
// beginning.
//@ models: sc tso pso
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant[sc,tso,pso]: BUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef CLIENT
#define CLIENT "-", "+-", "+-"
#endif
#ifndef FILL
#define FILL 0
#endif

static const char *const client[] = {CLIENT};
#define THREADS (int)(sizeof client / sizeof *client)
#define MOST 5
#define NODES 10

// A link is a counter and, in its last four bits, the number of a node; 0 is none.
#define NODE(link) ((link) & 15)

static struct {
    atomic_int next, value;
} nodes[NODES];
static int taken[NODES] = {1, 1}; // the first dummy is 1
static atomic_int head = 1, tail = 1, got[(THREADS + 1) * MOST + 1];

static int __VERIFIER_atomic_take(void) {
    int i = 0;
    while (taken[i])
        i++;
    taken[i] = 1;
    return i;
}

static void give_back(int node) {
    __atomic_store_n(&taken[node], 0, __ATOMIC_SEQ_CST);
}

static int change(atomic_int *link, int from, int node) {
#ifdef BUG
    int to = node;
#else
    int to = (from | 15) + 1 + node;
#endif
    return atomic_compare_exchange_strong(link, &from, to);
}

static void enqueue(int value) {
    int node = __VERIFIER_atomic_take(), last;
    nodes[node].value = value;
    nodes[node].next &= ~15;
    for (;;) {
        last = tail;
        int next = nodes[NODE(last)].next;
        if (last != tail)
            continue;
        if (NODE(next))
            change(&tail, last, NODE(next));
        else if (change(&nodes[NODE(last)].next, next, node))
            break;
    }
    change(&tail, last, node);
}

// Gives 0 if the queue is empty.
static int dequeue(void) {
    for (;;) {
        int first = head, last = tail, next = nodes[NODE(first)].next;
        if (first != head)
            continue;
        if (NODE(first) == NODE(last)) {
            if (!NODE(next))
                return 0;
            change(&tail, last, NODE(next));
            continue;
        }
        int value = nodes[NODE(next)].value;
        if (change(&head, first, NODE(next))) {
            give_back(NODE(first));
            return value;
        }
    }
}

static void use(int value) {
    if (value) {
        int times = ++got[value];
        assert(times == 1); //~ VIOLATION: assertion
    }
}

static void *work(void *arg) {
    int me = (int)(long)arg;
    for (int i = 0; client[me][i]; i++)
        if (client[me][i] == '+')
            enqueue(1 + me * MOST + i);
        else
            use(dequeue());
    return 0;
}

int main(void) {
    pthread_t t[THREADS];
    for (int i = 0; i < FILL; i++)
        enqueue(1 + THREADS * MOST + i);
    for (long i = 1; i < THREADS; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    work(0);
    for (int i = 1; i < THREADS; i++)
        pthread_join(t[i], 0);
    // Nothing is lost.
    for (int value; (value = dequeue()) != 0;)
        use(value);
    for (int i = 0; i < FILL; i++)
        assert(got[1 + THREADS * MOST + i] == 1); //~ VIOLATION: assertion
    for (int at = 0; at < THREADS; at++)
        for (int i = 0; client[at][i]; i++)
            assert(got[1 + at * MOST + i] == (client[at][i] == '+')); //~ VIOLATION: assertion
    return 0;
}
