// Words that threads compare and exchange, one free from the start and one not: somebody else
// gives that back. A third is read twice at once, and a fourth has a value for each owner.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static atomic_int plain, closed = 1, owner;
static int twice;
static int count;

static int take(atomic_int *word, int mine) {
    int free = 0;
    return atomic_compare_exchange_strong(word, &free, mine);
}

static void *worker(void *number) {
    int mine = (int)(long)number;
    if (take(&plain, 1)) {
        int before = count;
        count = before + mine;
        assert(count == before + mine);
        assert(atomic_exchange(&plain, 0) == 1);
    }
    if (take(&owner, mine)) {
        assert(atomic_load(&owner) == mine);
        assert(atomic_exchange(&owner, 0) == mine);
    } else {
        assert(atomic_load(&owner) != mine);
    }
    return 0;
}

static void *opener(void *unused) {
    (void)unused;
    if (take(&closed, 2)) {
        assert(atomic_exchange(&closed, 0) == 2);
    }
    __VERIFIER_atomic_begin();
    int first = twice, second = twice;
    if (first == 0) {
        twice = 3;
    }
    __VERIFIER_atomic_end();
    assert(first == second);
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, worker, (void *)1);
    pthread_create(&b, 0, worker, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count >= 1 && count <= 3);
    pthread_create(&c, 0, opener, 0);
    __VERIFIER_atomic_begin();
    int first = twice, second = twice;
    if (first == 0) {
        twice = 4;
    }
    __VERIFIER_atomic_end();
    assert(first == second);
    if (take(&closed, 3)) {
        assert(atomic_exchange(&closed, 0) == 3);
    }
    assert(atomic_load(&closed) == 1);
    pthread_join(c, 0);
    assert(twice == 3 || twice == 4);
    return 0;
}
