// Moves of the processor wait in its store buffer like any store; with a locked
// instruction between them they do not (safe/assembly_locked_no_op.c).
//@ models: sc tso
#include <assert.h>
#include <pthread.h>

static int x, y, a, b;

static int load(const int *where) {
    int value;
    __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*where) : "memory");
    return value;
}

static void store(int *where, int value) {
    __asm__ volatile("movl %1, %0" : "=m"(*where) : "ir"(value) : "memory");
}

static void *other(void *unused) {
    store(&x, 1);
    a = load(&y);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    store(&y, 1);
    b = load(&x);
    pthread_join(thread, 0);
    assert(a || b); //~ VIOLATION[tso]: assertion
    return 0;
}
