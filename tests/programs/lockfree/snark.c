// Snark: a deque of linked nodes with a double compare-and-swap (Detlefs and others, 2000), and
// what is wrong with it (Doherty and others, 2004): two pops at both ends can give the same
// node; and a pop can find a node that was popped at the other end meanwhile, and say that the
// deque is empty, though it never is (ENOUGH). Corrected: who pops a node claims its value, and
// looks twice before saying that there is none.
// CLIENT: what each thread does, r and l push right and left, R and L pop; FILL: elements at the
// beginning.
//@ models: sc tso pso
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant: GOOD ENOUGH
//@ variant[sc,tso,pso]: BUG
//@ variant[sc,tso,pso]: BUG ENOUGH
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef CLIENT
#ifdef ENOUGH
#define CLIENT "R", "rL"
#define FILL 1
#else
#define CLIENT "R", "L", "rLR"
#define FILL 2
#endif
#endif

static const char *const client[] = {CLIENT};
#define THREADS (int)(sizeof client / sizeof *client)
#define MOST 5

struct node {
    struct node *_Atomic to[2]; // left, right
    atomic_int value;
};
typedef struct node *_Atomic shared;

static struct node dummy, nodes[THREADS + 1][MOST];
static shared hat[2];
static atomic_int popped[(THREADS + 1) * MOST + 1];

static int __VERIFIER_atomic_dcas(shared *a, shared *b, struct node *old_a, struct node *old_b,
                                  struct node *new_a, struct node *new_b) {
    if (*a != old_a || *b != old_b)
        return 0;
    *a = new_a;
    *b = new_b;
    return 1;
}

static void push(int side, struct node *node, int value) {
    node->to[side] = &dummy;
    node->value = value;
    for (;;) {
        struct node *last = hat[side], *beyond = last->to[side];
        if (beyond == last) {
            struct node *other = hat[!side];
            node->to[!side] = &dummy;
            if (__VERIFIER_atomic_dcas(&hat[side], &hat[!side], last, other, node, node))
                return;
        } else {
            node->to[!side] = last;
            if (__VERIFIER_atomic_dcas(&hat[side], &last->to[side], last, beyond, node, node))
                return;
        }
    }
}

static int pop(int side) {
    for (;;) {
        struct node *last = hat[side];
#ifndef BUG
        struct node *before = last->to[!side];
        if (last->to[side] == last) {
            if (hat[side] == last)
                return -1;
            continue;
        }
        if (!__VERIFIER_atomic_dcas(&hat[side], &last->to[!side], last, before, before, last))
            continue;
        int value = last->value;
        if (value && atomic_compare_exchange_strong(&last->value, &value, 0)) {
            last->to[side] = &dummy;
            return value;
        }
#else
        struct node *other = hat[!side];
        if (last->to[side] == last)
            return -1;
        if (last == other) {
            if (__VERIFIER_atomic_dcas(&hat[side], &hat[!side], last, other, &dummy, &dummy))
                return last->value;
            continue;
        }
        struct node *before = last->to[!side];
        if (__VERIFIER_atomic_dcas(&hat[side], &last->to[!side], last, before, before, last)) {
            int value = last->value;
            last->to[side] = &dummy;
            last->value = 0;
            return value;
        }
#endif
    }
}

static void pop_one(int side) {
    int value = pop(side);
#ifndef ENOUGH
    if (value < 0)
        return;
#endif
    assert(value > 0); //~ VIOLATION: assertion
    int times = ++popped[value];
    assert(times == 1); //~ VIOLATION: assertion
}

static void *work(void *arg) {
    int me = (int)(long)arg;
    for (int i = 0; client[me][i]; i++)
        switch (client[me][i]) {
        case 'r':
        case 'l':
            push(client[me][i] == 'r', &nodes[me][i], 1 + me * MOST + i);
            break;
        default:
            pop_one(client[me][i] == 'R');
        }
    return 0;
}

int main(void) {
    pthread_t t[THREADS];
    dummy.to[0] = dummy.to[1] = hat[0] = hat[1] = &dummy;
    for (int i = 0; i < FILL; i++)
        push(1, &nodes[THREADS][i], 1 + THREADS * MOST + i);
    for (long i = 1; i < THREADS; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    work(0);
    for (int i = 1; i < THREADS; i++)
        pthread_join(t[i], 0);
    // Nothing is lost.
    for (int value; (value = pop(0)) >= 0;)
        popped[value]++;
    for (int i = 0; i < FILL; i++)
        assert(popped[1 + THREADS * MOST + i] == 1); //~ VIOLATION: assertion
    for (int at = 0; at < THREADS; at++)
        for (int i = 0; client[at][i]; i++)
            assert(popped[1 + at * MOST + i] == (client[at][i] >= 'a')); //~ VIOLATION: assertion
    return 0;
}
