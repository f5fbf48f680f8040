// References are taken and dropped; the block stays as long as main has its own.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int references = 1;

static void *use(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        if (references < 5)
            references++;
        else
#ifdef BROKEN
            references -= 5;
#else
            references -= 4;
#endif
        assert(references > 0);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, use, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
