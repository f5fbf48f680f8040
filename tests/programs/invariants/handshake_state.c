// A handshake in four states, each thread with its own steps.
#include <assert.h>
#include <pthread.h>

enum state { IDLE, ASKED, ANSWERED, DONE };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum state state;
static unsigned beats;

static void *client(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        beats = (beats + 1) % 3;
        if (state == IDLE)
            state = ASKED;
        else if (state == ANSWERED)
            state = DONE;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *server(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        beats = (beats + 1) % 3;
        if (state == ASKED)
            state = ANSWERED;
        else if (state == DONE)
#ifdef BROKEN
            state = DONE + 1;
#else
            state = IDLE;
#endif
        assert(state <= DONE);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, client, 0);
    pthread_create(&b, 0, server, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
