// Values that nobody looks at are no inputs: two threads without a result, and variables
// that are set on some ways only. The one critical section of each thread can be first or
// second, which makes two executions.
//@ executions[optimal,sc]: 2
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static int add(int value, int *seen) {
    int before;
    pthread_mutex_lock(&lock);
    if (seen)
        before = sum;
    sum += value;
    pthread_mutex_unlock(&lock);
    if (seen)
        *seen = before;
    return value;
}

static void *work(void *arg) {
    int never;
    int kept = never;
    add(1, 0);
    if (arg)
        kept = add(2, &kept);
} // no result

int main(void) {
    pthread_t first, second;
    void *result;
    pthread_create(&first, 0, work, 0);
    pthread_create(&second, 0, work, 0);
    pthread_join(first, &result);
    pthread_join(second, &result);
    assert(sum == 2);
    return 0;
}
