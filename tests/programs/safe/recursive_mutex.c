// A recursive mutex may be locked again by its holder.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int counter;

static void add(int depth) {
    pthread_mutex_lock(&lock);
    counter++;
    if (depth > 0)
        add(depth - 1);
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg) {
    (void)arg;
    add(1);
    return 0;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_mutex_destroy(&lock);
    assert(counter == 4);
    return 0;
}
