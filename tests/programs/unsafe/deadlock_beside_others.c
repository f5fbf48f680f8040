// Two threads wait for each other for ever, although a third one runs on and on.
//@ models: sc tso
//@ algorithms: dpor optimal
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static unsigned beats;

static void *up(void *arg) {
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second); //~ VIOLATION: deadlock
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return arg;
}

static void *down(void *arg) {
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first); //~ VIOLATION: deadlock
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return arg;
}

static void *beat(void *arg) {
    for (;;)
        beats++;
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, up, 0);
    pthread_create(&b, 0, down, 0);
    pthread_create(&c, 0, beat, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

//@ lazy: bounded  one thread never ends
