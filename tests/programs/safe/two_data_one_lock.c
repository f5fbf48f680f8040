// Two threads change two numbers, each change in a critical section of its own. Changes
// of different numbers may come in any order: for each number it matters who was first,
// 2·2 executions of the 4!/(2!·2!) orders of sections.
//@ executions[optimal,sc]: 6
//@ executions[guided,sc]: 4
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
    assert(data1 == 16 && data2 == 5);
    return 0;
}
