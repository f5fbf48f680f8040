// Two locks for two halves of one update by a hundred threads. Who looks between the halves sees
// the first without the second; with -DRIGHT the first lock is kept until both are done.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 100
#endif

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static int data1, data2;

static void between(void) {
#ifndef RIGHT
    pthread_mutex_unlock(&first);
#endif
}

static void end(void) {
#ifdef RIGHT
    pthread_mutex_unlock(&first);
#endif
}

static void *update(void *arg) {
    (void)arg;
    pthread_mutex_lock(&first);
    data1 = 1;
    between();
    pthread_mutex_lock(&second);
    data2 = data1 + 1;
    pthread_mutex_unlock(&second);
    end();
    return 0;
}

static void *look(void *arg) {
    (void)arg;
    pthread_mutex_lock(&first);
    int seen1 = data1;
    between();
    pthread_mutex_lock(&second);
    int seen2 = data2;
    pthread_mutex_unlock(&second);
    end();
    assert(seen1 == 0 || seen2 == seen1 + 1);
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, i < N - 1 ? update : look, 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
