// Who has the lock and tries for it again fails, each time; it keeps the lock.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *keeper(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    assert(pthread_mutex_trylock(&lock) != 0);
    assert(pthread_mutex_trylock(&lock) != 0);
    count++;
    return 0;
}

static void *other(void *unused) {
    (void)unused;
    if (pthread_mutex_trylock(&lock) == 0) {
        count++;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, keeper, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 1 || count == 2);
    return 0;
}
