// Whoever checks the balance last finds it wrong. The three critical sections are one
// step each. What the assertion reads does not count before it is reached: it is, in the
// second order of them that is tried.
//@ executions[guided,sc]: 1
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int start = 10, in = 4, out = 3, balance;
static bool deposited, withdrawn;

static void *deposit(void *arg) {
    pthread_mutex_lock(&lock);
    balance = balance + in;
    deposited = true;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *withdraw(void *arg) {
    pthread_mutex_lock(&lock);
    balance = balance - out;
    withdrawn = true;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *check(void *arg) {
    pthread_mutex_lock(&lock);
    if (deposited && withdrawn)
        assert(balance == start - in - out); //~ VIOLATION: assertion
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t threads[3];
    balance = start;
    pthread_create(&threads[0], 0, check, 0);
    pthread_create(&threads[1], 0, deposit, 0);
    pthread_create(&threads[2], 0, withdraw, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
