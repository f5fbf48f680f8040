// A word that is not free in the beginning: who comes first does not get it, until another
// thread gives it back that never took it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int gate = 1;
static int missed;

static void *worker(void *number) {
    int free = 0, mine = (int)(long)number;
    if (atomic_compare_exchange_strong(&gate, &free, mine)) {
        atomic_exchange(&gate, 0);
    } else {
        missed = 1;
    }
    return 0;
}

static void *opener(void *unused) {
    (void)unused;
    atomic_exchange(&gate, 0);
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, worker, (void *)2);
    pthread_create(&b, 0, worker, (void *)3);
    pthread_create(&c, 0, opener, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(!missed); //~ VIOLATION: assertion
    return 0;
}
