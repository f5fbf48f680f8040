// IP over InfiniBand: a path is asked for once, and packets wait for it. The state of the path
// and the length of the queue decide (two words); eight counts do not, and hardly anything is
// done to them by both threads. Is a packet sent before there is a path?
#include <assert.h>
#include <pthread.h>
enum { NONE, ASKED, READY };
static int state, queued;
static int sent, dropped, asked, answers, bytes, packets, collisions, carrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *transmit(void *p) {
    for (int i = 0; i < N; i++) {
        packets += 1;
        pthread_mutex_lock(&lock);
        int now = state;
        if (now == NONE) state = ASKED;
        if (now != READY) queued += 1;
        pthread_mutex_unlock(&lock);
        if (now == NONE) asked += 1;
        if (now == READY) {
            sent += 1;
            bytes += 64;
#ifdef BROKEN
            assert(queued == 0);
#endif
            assert(state == READY);
        } else {
            dropped += 1;
        }
    }
    return p;
}

static void *complete(void *p) {
    for (int i = 0; i < N; i++) {
        answers += 1;
        carrier = 1;
        pthread_mutex_lock(&lock);
        if (state == ASKED) {
            state = READY;
#ifndef BROKEN
            queued = 0;
#endif
        }
        pthread_mutex_unlock(&lock);
        collisions = answers;
    }
    return p;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, transmit, 0);
    pthread_create(&t, 0, complete, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
