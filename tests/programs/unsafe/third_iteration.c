// The violation needs three rounds of a loop; the bound grows until it is found.
#include <assert.h>
#include <pthread.h>

static int x;

static void *work(void *arg) {
    (void)arg;
    for (int i = 0; i < 4; i++)
        x++;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    assert(x != 3); //~ VIOLATION: assertion
    pthread_join(t, 0);
    return 0;
}
