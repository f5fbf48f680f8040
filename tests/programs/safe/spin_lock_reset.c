// A spin lock in a heap block: an exchange that fails tells what it found, and the turn ends
// with putting back what is expected. Two orders of two threads.
//@ models: sc tso pso
//@ executions[optimal,sc]: 2
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct account {
    int lock;
    int balance;
};

static _Bool exchange(int *place, int *expected, int new) {
    return __atomic_compare_exchange_n(place, expected, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void take(struct account *account) {
    int expected = 0;
    while (!exchange(&account->lock, &expected, 1))
        expected = 0;
}

static void *work(void *arg) {
    struct account *account = arg;
    take(account);
    account->balance++;
    __atomic_store_n(&account->lock, 0, __ATOMIC_SEQ_CST);
    return 0;
}

int main(void) {
    struct account *account = calloc(1, sizeof *account);
    if (!account)
        return 0;
    pthread_t a, b;
    pthread_create(&a, 0, work, account);
    pthread_create(&b, 0, work, account);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(account->balance == 2);
    free(account);
    return 0;
}
