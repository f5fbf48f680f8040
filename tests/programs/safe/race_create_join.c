// A thread knows what its creator did before, and who joins it knows what it did; a
// third thread is there all the time.
//@ models: sc tso pso
//@ args: --check race
#include <pthread.h>

static int before, within;
static volatile _Atomic int other;

static void *idle(void *arg) {
    other = 1;
    return arg;
}

static void *work(void *arg) {
    within = before + 1;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, idle, 0);
    before = 1;
    pthread_create(&b, 0, work, 0);
    pthread_join(b, 0);
    within++;
    before++;
    pthread_join(a, 0);
    return 0;
}
