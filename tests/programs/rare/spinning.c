// Threads pass a turn on in loops that wait, some of which count their turns. The one that
// waits for the last of them looks at what is not there yet.
//@ models: sc tso
//@ algorithms: random
//@ seconds: 60
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define N 5

static atomic_int turn, tries;
static int done[N];

static void *player(void *arg) {
    int me = (int)(long)arg;
    int own_tries = 0;
    while (atomic_load(&turn) != me) {
        own_tries++;
        sched_yield();
    }
    atomic_store(&turn, me + 1);
    if (own_tries > 3)
        atomic_fetch_add(&tries, 1);
    done[me] = 1;
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, player, (void *)i);
    while (atomic_load(&turn) != N)
        ;
    assert(done[N - 1]); //~ VIOLATION: assertion
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
