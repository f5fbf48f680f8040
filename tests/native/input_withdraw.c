// Two withdrawals of amounts that are read. Each looks first whether there is enough, and
// how far it gets depends on the amounts.
#include <assert.h>
#include <pthread.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static int balance = 300;

static void *withdraw(void *arg) {
    int amount = *(int *)arg;
    if (balance >= amount) __atomic_fetch_sub(&balance, amount, __ATOMIC_SEQ_CST);
    return 0;
}

int main(void) {
    int first = __VERIFIER_nondet_uchar(), second = __VERIFIER_nondet_uchar();
    pthread_t one, two;
    pthread_create(&one, 0, withdraw, &first);
    pthread_create(&two, 0, withdraw, &second);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(balance >= 0);
    return 0;
}
