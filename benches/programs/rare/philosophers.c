// Seven philosophers, each of whom takes the left fork and then the right one; with -DRIGHT the
// one with the smaller number first.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 7
#endif

static pthread_mutex_t forks[N];
static int meals[N];

static void *dine(void *arg) {
    int me = (int)(long)arg, one = me, other = (me + 1) % N;
#ifdef RIGHT
    if (one > other) {
        int left = one;
        one = other;
        other = left;
    }
#endif
    pthread_mutex_lock(&forks[one]);
    pthread_mutex_lock(&forks[other]);
    meals[me]++;
    pthread_mutex_unlock(&forks[other]);
    pthread_mutex_unlock(&forks[one]);
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], 0);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, dine, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    for (int i = 0; i < N; i++)
        assert(meals[i] == 1);
    return 0;
}
