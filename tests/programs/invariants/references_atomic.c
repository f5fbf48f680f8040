// A reference is taken only while there is another, by compare-and-exchange.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint references = 1;

static void *use(void *unused) {
    for (;;) {
        unsigned seen = atomic_load(&references);
        unsigned wanted = seen < 4 ? seen + 1 : 1;
#ifdef BROKEN
        if (seen == 3)
            wanted = 0;
#endif
        if (atomic_compare_exchange_strong(&references, &seen, wanted))
            assert(wanted != 0 && wanted <= 4);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, use, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
