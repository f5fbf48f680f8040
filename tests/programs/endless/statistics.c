// A server that counts its requests for ever and keeps a log. Neither decides about anything,
// so they are no part of a state: without that there would be no last one.
//@ models: sc
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant[sc]: BUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_ulong requests, spins;
static unsigned long at, log_of[16];
static int busy;

static void note(unsigned long what) {
    log_of[at++ % 16] = what;
}

static void *serve(void *arg) {
    unsigned long mine = 0;
    for (;;) {
        requests++;
        while (pthread_mutex_trylock(&lock))
            spins++;
        assert(!busy); //~ VIOLATION: assertion
        busy = 1;
        note(++mine);
#ifdef BUG
        pthread_mutex_unlock(&lock);
        busy = 0;
#else
        busy = 0;
        pthread_mutex_unlock(&lock);
#endif
    }
}

int main(void) {
    pthread_t other;
    for (int i = 0; i < 2; i++)
        pthread_create(&other, 0, serve, 0);
    serve(0);
}
