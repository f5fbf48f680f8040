// Peterson's algorithm without the turn: both look first, then raise the hand.
#include <assert.h>
#include <pthread.h>

static volatile int inside[2];
static int counter;

static void *work(void *arg) {
    int me = (int)(long)arg;
    while (inside[1 - me])
        ;
    inside[me] = 1;
    counter++;
    inside[me] = 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2); //~ VIOLATION: assertion
    return 0;
}
