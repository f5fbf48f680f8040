// A stack of numbered nodes with compare-and-exchange. A pop that is interrupted by two
// pops and a push finds the same head again and puts back a next that is taken.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int head = 1;
static _Atomic int next[4] = {0, 2, 0, 0};
static _Atomic int taken[4];

static int pop(void) {
    int old = atomic_load(&head);
    if (old == 0) return 0;
    int after = atomic_load(&next[old]);
    if (!atomic_compare_exchange_strong(&head, &old, after)) return 0;
    int before = atomic_fetch_add(&taken[old], 1);
    assert(before == 0);
    return old;
}

static void push(int node) {
    atomic_fetch_sub(&taken[node], 1);
    int old = atomic_load(&head);
    atomic_store(&next[node], old);
    atomic_compare_exchange_strong(&head, &old, node);
}

static void *one(void *arg) {
    (void)arg;
    pop();
    pop();
    return 0;
}

static void *two(void *arg) {
    (void)arg;
    int a = pop();
    pop();
    if (a != 0) push(a);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
