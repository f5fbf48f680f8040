// Each access of 16 bytes is atomic, but not the two together.
#include <assert.h>
#include <pthread.h>

typedef unsigned __int128 Wide;

static Wide sum;

static void *add(void *arg) {
    (void)arg;
    Wide old = __atomic_load_n(&sum, __ATOMIC_SEQ_CST);
    __atomic_store_n(&sum, old + ((Wide)1 << 64), __ATOMIC_SEQ_CST);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(sum >> 64 == 2); //~ VIOLATION: assertion
    return 0;
}
