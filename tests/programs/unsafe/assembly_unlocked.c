// Without the prefix, an instruction that changes memory reads and writes it in two steps.
#include <assert.h>
#include <pthread.h>

static int count;

static void *work(void *unused) {
    __asm__ volatile("incl %0" : "+m"(count) : : "memory", "cc");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    assert(count == 2); //~ VIOLATION: assertion
    return 0;
}
