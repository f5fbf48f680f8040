// Mutexes in an array of structs, each with its own state.
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account accounts[2];

static void *deposit(void *arg) {
    struct account *account = &accounts[(long)arg];
    pthread_mutex_lock(&account->lock);
    account->balance += 5;
    pthread_mutex_unlock(&account->lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < 2; i++)
        pthread_mutex_init(&accounts[i].lock, 0);
    pthread_create(&a, 0, deposit, (void *)0);
    pthread_create(&b, 0, deposit, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(accounts[0].balance == 5 && accounts[1].balance == 5);
    return 0;
}
