// Lamport's fast mutex: two threads go N times into the critical section. The
// fences that TSO and PSO need come with FENCES.
#include <assert.h>
#include <pthread.h>

#ifdef FENCES
#define FENCE __sync_synchronize()
#else
#define FENCE (void)0
#endif

static volatile int b[3], x, y, inside;

static void lock(int me) {
    for (;;) {
        b[me] = 1;
        x = me;
        FENCE;
        if (y) {
            b[me] = 0;
            while (y)
                ;
            continue;
        }
        y = me;
        FENCE;
        if (x == me)
            return;
        b[me] = 0;
        FENCE;
        while (b[3 - me])
            ;
        if (y == me)
            return;
        while (y)
            ;
    }
}

static void *work(void *arg) {
    int me = (int)(long)arg;
    for (int k = 0; k < N; k++) {
        lock(me);
        inside++;
        assert(inside == 1);
        inside--;
        FENCE;
        y = 0;
        FENCE;
        b[me] = 0;
    }
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, work, (void *)1);
    pthread_create(&second, 0, work, (void *)2);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
