// The function of a once flag runs once, and everybody waits for its end.
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int calls, value;

static void initialise(void) {
    calls++;
    value = 7;
}

static void *use(void *arg) {
    (void)arg;
    pthread_once(&once, initialise);
    assert(value == 7);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, use, 0);
    pthread_create(&b, 0, use, 0);
    use(0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(calls == 1);
    return 0;
}
