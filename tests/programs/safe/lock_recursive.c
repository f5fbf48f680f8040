// A recursive mutex is free when it was given back as often as it was taken.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int count;

static void add(void) {
    pthread_mutex_lock(&lock);
    int before = count;
    count = before + 1;
    assert(count == before + 1);
    pthread_mutex_unlock(&lock);
}

static void *worker(void *unused) {
    (void)unused;
    if (pthread_mutex_trylock(&lock) == 0) {
        int before = count;
        add();
        assert(count == before + 1);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 1 || count == 2);
    return 0;
}
