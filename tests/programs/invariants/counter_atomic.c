// A counter that compare-and-exchange keeps below a limit.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int tickets;

static void *take(void *unused) {
    for (;;) {
        int seen = atomic_load(&tickets);
        assert(seen >= 0 && seen <= 3);
#ifdef BROKEN
        if (seen <= 3)
#else
        if (seen < 3)
#endif
            atomic_compare_exchange_strong(&tickets, &seen, seen + 1);
        else
            atomic_store(&tickets, 0);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
