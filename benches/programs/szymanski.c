// Szymanski's algorithm: two threads go N times into the critical section. The
// fences that TSO and PSO need come with FENCES.
#include <assert.h>
#include <pthread.h>

#ifdef FENCES
#define FENCE __sync_synchronize()
#else
#define FENCE (void)0
#endif

enum { OUTSIDE, WANTS, WAITS, AT_DOOR, INSIDE };

static volatile int flag[2], inside;

static void *work(void *arg) {
    int me = (int)(long)arg, other = 1 - me;
    for (int k = 0; k < N; k++) {
        flag[me] = WANTS;
        FENCE;
        while (flag[other] >= AT_DOOR)
            ;
        flag[me] = AT_DOOR;
        FENCE;
        if (flag[other] == WANTS) {
            flag[me] = WAITS;
            FENCE;
            while (flag[other] != INSIDE)
                ;
        }
        flag[me] = INSIDE;
        FENCE;
        if (me == 1)
            while (flag[0] >= WAITS)
                ;
        inside++;
        assert(inside == 1);
        inside--;
        FENCE;
        if (me == 0) {
            int seen;
            do
                seen = flag[1];
            while (seen == WAITS || seen == AT_DOOR);
        }
        flag[me] = OUTSIDE;
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
