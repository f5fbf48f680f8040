// A text that another thread changes while it is printed.
//@ args: --check race
#include <pthread.h>
#include <stdio.h>

static char text[] = "ab";

static void *writer(void *unused) {
    text[1] = 'c'; //~ VIOLATION: data-race
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    printf("%s\n", text); //~ VIOLATION: data-race
    pthread_join(thread, 0);
    return 0;
}
