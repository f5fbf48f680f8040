// One signal where two threads wait.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int go;

static void *wait_for_go(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    while (!go)
        pthread_cond_wait(&changed, &lock); //~ VIOLATION: deadlock
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, wait_for_go, 0);
    pthread_create(&b, 0, wait_for_go, 0);
    pthread_mutex_lock(&lock);
    go = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
