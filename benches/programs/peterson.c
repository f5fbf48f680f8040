// Two threads go N times through Peterson's algorithm with all its fences.
#include <assert.h>
#include <pthread.h>

static volatile int wants[2], turn;
static int counter;

static void *work(void *arg) {
    int me = (int)(long)arg, other = 1 - me;
    for (int k = 0; k < N; k++) {
        wants[me] = 1;
        __sync_synchronize();
        turn = other;
        __sync_synchronize();
        while (wants[other] && turn == other)
            ;
        counter++;
        __sync_synchronize();
        wants[me] = 0;
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2 * N);
    return 0;
}
