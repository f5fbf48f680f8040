// A try for the lock fails within a section of another thread. What follows shows that the
// section was still under way.
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int steps;
};

static struct account account = {PTHREAD_MUTEX_INITIALIZER, 0};

static void *worker(void *it) {
    struct account *mine = it;
    pthread_mutex_lock(&mine->lock);
    mine->steps = 1;
    mine->steps = 2;
    pthread_mutex_unlock(&mine->lock);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, &account);
    if (pthread_mutex_trylock(&account.lock) != 0) {
        assert(account.steps != 1); //~ VIOLATION: assertion
    } else {
        pthread_mutex_unlock(&account.lock);
    }
    pthread_join(a, 0);
    return 0;
}
