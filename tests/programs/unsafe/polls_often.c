// A run in which a thread looks often before another one acts: reports show turns of its loop
// once.
#include <assert.h>
#include <pthread.h>

#define TURNS 20

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready, looked, table[4] = {1, 2, 3, 4};

static void *look(void *arg) {
    for (int turn = 0; turn < TURNS; turn++) {
        pthread_mutex_lock(&mutex);
        if (!ready && table[turn % 4] > 4)
            looked = 0;
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    looked = !ready;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    table[1] = 2;
    pthread_create(&thread, 0, look, 0);
    pthread_join(thread, 0);
    assert(!looked); //~ VIOLATION: assertion
    return 0;
}
