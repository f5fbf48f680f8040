// Two tellers move money at the same time. Each move is careful about the limit,
// but not about the other teller.
#include <assert.h>
#include <pthread.h>

struct account {
    int balance;
    int moves;
};

static struct account savings = {100, 0};

static void deposit(struct account *account, int amount) {
    int balance = account->balance;
    account->balance = balance + amount;
    account->moves++;
}

static void *first_teller(void *arg) {
    (void)arg;
    deposit(&savings, 50);
    return 0;
}

static void *second_teller(void *arg) {
    (void)arg;
    deposit(&savings, -30);
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, first_teller, 0);
    pthread_create(&second, 0, second_teller, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(savings.balance == 120);
    return 0;
}
