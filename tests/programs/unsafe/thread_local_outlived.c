// A pointer to a thread-local variable of a thread that has ended.
#include <pthread.h>

static int zero;
static __thread int own;
static int *shared = &zero;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *publish(void *arg) {
    (void)arg;
    shared = &own;
    pthread_mutex_lock(&lock);
    return 0;
}

static void *look(void *arg) {
    (void)arg;
    return (void *)(long)*shared; //~ VIOLATION: use-after-free
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, look, 0);
    pthread_create(&b, 0, publish, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
