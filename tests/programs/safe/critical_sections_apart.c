// One mutex for an array of which each thread has its own half (Kusano and Wang,
// Figure 8). There are 16!/(8!·8!) = 12,870 orders of the critical sections; no two of
// different threads touch the same cell, so they all come to the same.
//@ algorithms: guided
//@ executions[guided,sc]: 1
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int array[16];
static void *low(void *arg) {
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&lock);
        array[i] = array[i] + 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
static void *high(void *arg) {
    for (int i = 8; i < 16; i++) {
        pthread_mutex_lock(&lock);
        array[i] = array[i] + 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, low, 0);
    pthread_create(&b, 0, high, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    for (int i = 0; i < 16; i++) assert(array[i] == 1);
    return 0;
}
