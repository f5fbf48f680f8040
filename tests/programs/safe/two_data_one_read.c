// The same as two_data_one_lock.c, but the second number is only looked at if the first
// one is wrong, which it never is: for the second it does not matter who was first
// (Stateful in Table 2 of Kusano and Wang).
//@ executions[optimal,sc]: 6
//@ executions[guided,sc]: 2
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data1 = 10, data2 = 10;
static void *up(void *arg) {
    pthread_mutex_lock(&lock);
    data1++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    data2++;
    pthread_mutex_unlock(&lock);
    return arg;
}
static void *down(void *arg) {
    pthread_mutex_lock(&lock);
    data1 += 5;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    data2 -= 6;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, up, 0);
    pthread_create(&b, 0, down, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(data1 == 16 || data2 == 5);
    return 0;
}
