// The number of threads is nobody's bound. Three that update without a lock are enough.
//@ models: sc tso pso
//@ seconds: 20
#include <assert.h>
#include <pthread.h>

static int tickets;

static void *take(void *arg) {
    int seen = tickets;
    tickets = seen + 1;
    assert(tickets < 3); //~ VIOLATION: assertion
    return arg;
}

int main(void) {
    pthread_t t;
    while (1)
        pthread_create(&t, 0, take, 0);
}
