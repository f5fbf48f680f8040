// Thirty threads, of which the second must be let in between two steps of the first: one delay.
// Nothing else is wrong, and the search comes to its end in the order of delays, too.
//@ models: sc
//@ algorithms: stateful
//@ engines: explore
//@ args: --delays
//@ variant: GOOD
//@ variant[sc]: BUG
#include <assert.h>
#include <pthread.h>

#define N 30

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *work(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    first++;
#ifdef BUG
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    second++;
    assert(first == second); //~ VIOLATION: assertion
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
