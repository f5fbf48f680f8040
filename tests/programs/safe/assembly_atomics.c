// Locked instructions are one step each, whatever they do.
//@ models: sc tso
#include <assert.h>
#include <pthread.h>

static int lock, count, bits, total = 2, last;

static int exchange(int *where, int value) {
    __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*where) : : "memory");
    return value;
}

static int fetch_add(int *where, int value) {
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(value), "+m"(*where) : : "memory", "cc");
    return value;
}

static int compare_exchange(int *where, int old, int new) {
    unsigned char done;
    __asm__ volatile("lock cmpxchgl %3, %0; sete %1"
                     : "+m"(*where), "=qm"(done), "+a"(old)
                     : "r"(new)
                     : "memory", "cc");
    return done;
}

static int decrement_and_test(int *where) {
    unsigned char zero;
    __asm__ volatile("lock; decl %0\n\tsete %1" : "+m"(*where), "=qm"(zero) : : "memory");
    return zero;
}

static int test_and_set(int *where, int bit) {
    int before;
    __asm__ volatile("lock; btsl %2,%1\n\tsbbl %0,%0"
                     : "=r"(before), "+m"(*where)
                     : "Ir"(bit)
                     : "memory");
    return before;
}

static void *work(void *unused) {
    fetch_add(&count, 1);
    if (!exchange(&lock, 1)) fetch_add(&count, 4);
    if (compare_exchange(&count, 100, 0)) last = 100;
    if (!test_and_set(&bits, 5)) fetch_add(&count, 16);
    if (decrement_and_test(&total)) last++;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    assert(count == 22 && lock == 1 && bits == 32 && total == 0 && last == 1);
    return 0;
}
