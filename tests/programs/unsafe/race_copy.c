// A race inside a library function is its caller's, here on a variable of main.
//@ models: sc tso
//@ args: --check race
#include <pthread.h>
#include <string.h>

static void *work(void *arg) {
    memcpy(arg, "abc", 4); //~ VIOLATION: data-race
    return arg;
}

int main(void) {
    char text[4];
    pthread_t a;
    pthread_create(&a, 0, work, text);
    text[1] = 0; //~ VIOLATION: data-race
    pthread_join(a, 0);
    return 0;
}
