// Two variables that are the same whenever nobody is in the critical section.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned left, right;

static void *both(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        assert(left == right);
        left++;
#ifdef BROKEN
        if (left != 3)
#endif
            right++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, both, 0);
    pthread_create(&b, 0, both, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
