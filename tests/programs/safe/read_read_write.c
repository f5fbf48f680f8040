// Two threads look at what a third one writes twice; only what the second one sees
// counts. It sees one of three values.
//@ executions[optimal,sc]: 9
//@ executions[guided,sc]: 3
#include <assert.h>
#include <pthread.h>
static int x, seen1, seen2;
static void *first(void *arg) {
    seen1 = x;
    return arg;
}
static void *second(void *arg) {
    seen2 = x;
    assert(seen2 >= 0);
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    x = 1; x = 2;
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
