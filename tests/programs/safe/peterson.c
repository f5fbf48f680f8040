// Peterson's algorithm for two threads; right under SC.
//@ models: sc
#include <assert.h>
#include <pthread.h>

static volatile int wants[2], turn;
static int counter;

static void *work(void *arg) {
    int me = (int)(long)arg, other = 1 - me;
    wants[me] = 1;
    turn = other;
    while (wants[other] && turn == other)
        ;
    counter++;
    wants[me] = 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
    return 0;
}
