// Code that was said to be unreachable is reached if the other thread comes first.
#include <pthread.h>

static int value;

static void *change(void *arg) {
    value = 1;
    return arg;
}

static void *look(void *arg) {
    if (value)
        __builtin_unreachable(); //~ UNSUPPORTED: code that was said to be unreachable
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, look, 0);
    pthread_create(&b, 0, change, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
