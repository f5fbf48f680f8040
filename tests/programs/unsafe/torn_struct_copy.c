// A struct is copied member by member on real machines; another thread can see
// half of it.
#include <assert.h>
#include <pthread.h>

struct pair {
    long a, b;
};

static struct pair shared, one = {1, 1};

static void *work(void *arg) {
    (void)arg;
    shared = one;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    long a = shared.a;
    long b = shared.b;
    assert(a == 0 || b == 1); //~ VIOLATION: assertion
    pthread_join(t, 0);
    return 0;
}
