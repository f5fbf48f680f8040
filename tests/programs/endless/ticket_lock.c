// A ticket lock whose tickets go round, three threads, for ever.
//@ models: sc tso pso
//@ algorithms: stateful
//@ engines: explore
//@ variant: GOOD
//@ variant[sc,tso,pso]: BUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uchar next, serving;
static int inside;

static unsigned char take(void) {
#ifdef BUG
    unsigned char mine = next;
    next = (mine + 1) & 3;
    return mine;
#else
    unsigned char mine = next;
    while (!atomic_compare_exchange_strong(&next, &mine, (mine + 1) & 3))
        ;
    return mine;
#endif
}

static void *work(void *arg) {
    for (;;) {
        unsigned char mine = take();
        while (serving != mine)
            ;
        inside++;
        assert(inside == 1); //~ VIOLATION: assertion
        inside--;
        serving = (mine + 1) & 3;
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    work(0);
    return 0;
}
