// SafeStack (see safestack.c), its operations on shared words written as people write them: by
// C11 atomics, by builtins, by functions that take addresses, as functions and sections that are
// atomic, and under a mutex.
//@ models: sc
//@ algorithms: stateful
//@ engines: explore
//@ seconds: 60
//@ variant[sc]: ATOMICS
//@ variant[sc]: BUILTINS
//@ variant[sc]: HELPERS
//@ variant[sc]: FUNCTIONS
//@ variant[sc]: SECTIONS
//@ variant[sc]: MUTEX
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define PLACES 3

#if defined ATOMICS
typedef atomic_int word;
static int load(word *p) { return atomic_load(p); }
static void store(word *p, int v) { atomic_store(p, v); }
static int swap(word *p, int v) { return atomic_exchange(p, v); }
static bool cas(word *p, int old, int v) { return atomic_compare_exchange_strong(p, &old, v); }
static void add(word *p, int v) { atomic_fetch_add(p, v); }
#elif defined BUILTINS
typedef int word;
static int load(word *p) { return __sync_fetch_and_add(p, 0); }
static void store(word *p, int v) { (void)__sync_lock_test_and_set(p, v); }
static int swap(word *p, int v) { return __sync_lock_test_and_set(p, v); }
static bool cas(word *p, int old, int v) { return __sync_bool_compare_and_swap(p, old, v); }
static void add(word *p, int v) { __sync_fetch_and_add(p, v); }
#elif defined HELPERS
typedef int word;
static void load_into(word *p, int *to) { __atomic_load(p, to, __ATOMIC_SEQ_CST); }
static int load(word *p) { int v; load_into(p, &v); return v; }
static void store_from(word *p, int *from) { __atomic_store(p, from, __ATOMIC_SEQ_CST); }
static void store(word *p, int v) { store_from(p, &v); }
static void swap_with(word *p, int *v, int *old) { __atomic_exchange(p, v, old, __ATOMIC_SEQ_CST); }
static int swap(word *p, int v) { int old; swap_with(p, &v, &old); return old; }
static bool exchange(word *p, int *old, int *v) {
    return __atomic_compare_exchange(p, old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
static bool cas(word *p, int old, int v) { return exchange(p, &old, &v); }
static void add(word *p, int v) { __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); }
#elif defined FUNCTIONS
typedef int word;
static int __VERIFIER_atomic_load(word *p) { return *p; }
static void __VERIFIER_atomic_store(word *p, int v) { *p = v; }
static int __VERIFIER_atomic_swap(word *p, int v) { int old = *p; *p = v; return old; }
static void __VERIFIER_atomic_cas(word *p, int old, int v, bool *ok) {
    *ok = *p == old;
    if (*ok) *p = v;
}
static void __VERIFIER_atomic_add(word *p, int v) { *p += v; }
#define load __VERIFIER_atomic_load
#define store __VERIFIER_atomic_store
#define swap __VERIFIER_atomic_swap
static bool cas(word *p, int old, int v) { bool ok; __VERIFIER_atomic_cas(p, old, v, &ok); return ok; }
#define add __VERIFIER_atomic_add
#else
typedef int word;
#ifdef SECTIONS
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
#define BEGIN __VERIFIER_atomic_begin()
#define END __VERIFIER_atomic_end()
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define BEGIN pthread_mutex_lock(&lock)
#define END pthread_mutex_unlock(&lock)
#endif
static int load(word *p) { BEGIN; int v = *p; END; return v; }
static void store(word *p, int v) { BEGIN; *p = v; END; }
static int swap(word *p, int v) { BEGIN; int old = *p; *p = v; END; return old; }
static bool cas(word *p, int old, int v) {
    bool ok = false;
    BEGIN;
    if (*p == old) { *p = v; ok = true; }
    END;
    return ok;
}
static void add(word *p, int v) { BEGIN; *p = *p + v; END; }
#endif

struct place { int value; word next; };
static struct { struct place places[PLACES]; word head, count; } stack;

static int pop(void) {
    while (load(&stack.count) > 1) {
        int first = load(&stack.head);
        int next = swap(&stack.places[first].next, -1);
        if (next >= 0) {
            if (cas(&stack.head, first, next)) {
                add(&stack.count, -1);
                return first;
            }
            swap(&stack.places[first].next, next);
        }
    }
    return -1;
}

static void push(int place) {
    int first = load(&stack.head);
    do {
        store(&stack.places[place].next, first);
        if (cas(&stack.head, first, place)) break;
        first = load(&stack.head);
    } while (1);
    add(&stack.count, 1);
}

static void *work(void *arg) {
    int me = (int)(size_t)arg;
    for (int round = 0; round < ROUNDS; round++) {
        int place;
        for (;;)
            if ((place = pop()) >= 0) break;
        stack.places[place].value = me;
        assert(stack.places[place].value == me); //~ VIOLATION: assertion
        push(place);
    }
    return 0;
}

int main(void) {
    pthread_t t[THREADS];
    stack.count = PLACES;
    for (int place = 0; place < PLACES - 1; place++) stack.places[place].next = place + 1;
    stack.places[PLACES - 1].next = -1;
    for (int i = 0; i < THREADS; i++) pthread_create(&t[i], 0, work, (void *)(size_t)i);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], 0);
    return 0;
}
