// Peterson's algorithm: two threads go N times into the critical section. The
// fences that TSO and PSO need come with FENCES.
#include <assert.h>
#include <pthread.h>

#ifdef FENCES
#define FENCE __sync_synchronize()
#else
#define FENCE (void)0
#endif

static volatile int wants[2], turn;
static int counter;

static void *work(void *arg) {
    int me = (int)(long)arg, other = 1 - me;
    for (int k = 0; k < N; k++) {
        wants[me] = 1;
        FENCE;
        turn = other;
        FENCE;
        while (wants[other] && turn == other)
            ;
        counter++;
        FENCE;
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
