// Elements of an array that were never set hold other values each time the array comes to
// life.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>

static void *look(void *arg) {
    return *(int *)arg & 1 ? arg : 0;
}

static int is_odd(void) {
    int numbers[2];
    pthread_t thread;
    void *result;
    numbers[0] = 0;
    pthread_create(&thread, 0, look, &numbers[1]);
    pthread_join(thread, &result);
    assert((result != 0) == (numbers[1] & 1));
    return result != 0;
}

int main(void) {
    int first = is_odd();
    assert(first == is_odd()); //~ VIOLATION: assertion
    return 0;
}
