// Two threads wait for each other's lock while a third one goes on for ever.
//@ models: sc
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant[sc]: BUG
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static volatile int clock_hand;

static void *tick(void *arg) {
    for (;;)
        clock_hand = (clock_hand + 1) % 3;
    return arg;
}

static void *one(void *arg) {
    for (;;) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b); //~ VIOLATION: deadlock
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);
    }
    return arg;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, tick, 0);
    pthread_create(&t, 0, one, 0);
    for (;;) {
#ifdef BUG
        pthread_mutex_lock(&b);
        pthread_mutex_lock(&a); //~ VIOLATION: deadlock
#else
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b);
#endif
        pthread_mutex_unlock(&a);
        pthread_mutex_unlock(&b);
    }
    return 0;
}
