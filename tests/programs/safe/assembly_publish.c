// A flag that is read and written by moves orders the data, as it does on x86.
//@ args: --check race
#include <pthread.h>

static int data, ready;

static void *reader(void *unused) {
    int seen;
    __asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(ready) : "memory");
    return seen ? (void *)(long)data : unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    data = 1;
    __asm__ volatile("movl %1, %0" : "=m"(ready) : "ir"(1) : "memory");
    pthread_join(thread, 0);
    return 0;
}
