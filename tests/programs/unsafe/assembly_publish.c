// Without "memory" among what the text changes, the compiler may move the data over it.
//@ args: --check race
#include <pthread.h>

static int data, ready;

static void *reader(void *unused) {
    int seen;
    __asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(ready));
    return seen ? (void *)(long)data : unused; //~ VIOLATION: data-race
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    data = 1; //~ VIOLATION: data-race
    __asm__ volatile("movl %1, %0" : "=m"(ready) : "ir"(1));
    pthread_join(thread, 0);
    return 0;
}
