// Seven philosophers in a ring, each of whom takes the left fork first, several times: all of
// them have to have taken one for the deadlock.
//@ models: sc
//@ algorithms: random
//@ seconds: 60
#include <pthread.h>

#define N 7
#define MEALS 3

static pthread_mutex_t fork[N];
static int eaten[N];

static void *dine(void *arg) {
    long me = (long)arg;
    for (int meal = 0; meal < MEALS; meal++) {
        pthread_mutex_lock(&fork[me]);
        pthread_mutex_lock(&fork[(me + 1) % N]); //~ VIOLATION: deadlock
        eaten[me]++;
        pthread_mutex_unlock(&fork[(me + 1) % N]);
        pthread_mutex_unlock(&fork[me]);
    }
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork[i], 0);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, dine, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
