// A compiler barrier with operands orders nothing between threads.
//@ models: sc tso
#include <assert.h>
#include <pthread.h>

static int x, y, a, b;

static void *other(void *unused) {
    x = 1;
    __asm__ volatile("" : "+m"(x) : : "memory");
    a = y;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    y = 1;
    __asm__ volatile("" : : "g"(&y) : "memory");
    b = x;
    pthread_join(thread, 0);
    assert(a || b); //~ VIOLATION[tso]: assertion
    return 0;
}
