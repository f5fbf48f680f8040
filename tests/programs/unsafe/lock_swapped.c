// A word that is exchanged whatever is there: who fails leaves something too, and gives it
// back.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int word, inside;

static void *worker(void *number) {
    int mine = (int)(long)number;
    if (atomic_exchange(&word, mine) == 0) {
        assert(atomic_fetch_add(&inside, 1) == 0); //~ VIOLATION: assertion
        atomic_fetch_sub(&inside, 1);
    }
    atomic_exchange(&word, 0);
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, worker, (void *)1);
    pthread_create(&b, 0, worker, (void *)2);
    pthread_create(&c, 0, worker, (void *)3);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
