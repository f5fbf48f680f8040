// A lock that one thread takes and another one gives back: the section is over before its
// thread has left it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock, handed, inside;

static int take(int mine) {
    int free = 0;
    return atomic_compare_exchange_strong(&lock, &free, mine);
}

static void *giver(void *unused) {
    (void)unused;
    if (take(1)) {
        atomic_fetch_add(&inside, 1);
        atomic_store(&handed, 1);
        atomic_fetch_sub(&inside, 1);
    }
    return 0;
}

static void *ender(void *unused) {
    (void)unused;
    if (atomic_load(&handed)) {
        atomic_exchange(&lock, 0);
    }
    return 0;
}

static void *other(void *unused) {
    (void)unused;
    if (take(2)) {
        assert(atomic_load(&inside) == 0); //~ VIOLATION: assertion
        atomic_exchange(&lock, 0);
    }
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, giver, 0);
    pthread_create(&b, 0, ender, 0);
    pthread_create(&c, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
