// Sections of one lock are apart, also where a thread leaves one early, or only tries for the
// lock; it is destroyed after all of them.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, flag;

static void *worker(void *unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        if (count > 1) {
            count++;
            pthread_mutex_unlock(&lock);
            continue;
        }
        count++;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void *trier(void *unused) {
    (void)unused;
    if (pthread_mutex_trylock(&lock) == 0) {
        int before = count;
        flag = 1;
        assert(count == before);
        pthread_mutex_unlock(&lock);
    } else {
        flag = 2;
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, trier, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2 && flag != 0);
    pthread_mutex_destroy(&lock);
    return 0;
}
