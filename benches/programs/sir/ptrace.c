// Who traces a process: a flag word that is set by compare-and-exchange decides, the exit code
// and the last signal do not. Are there ever two who trace it?
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flags;
static int exit_code, last_signal;

static void *attach(void *p) {
    int me = p ? 1 : 2;
    for (int i = 0; i < N; i++) {
        last_signal = me;
        int nobody = 0;
#ifndef BROKEN
        if (!atomic_compare_exchange_strong(&flags, &nobody, me)) continue;
#else
        if (atomic_load(&flags) != nobody) continue;
        atomic_store(&flags, me);
#endif
        exit_code = last_signal + me;
        last_signal = exit_code;
        assert(atomic_load(&flags) == me);
        exit_code = 0;
        atomic_store(&flags, 0);
    }
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, attach, &s);
    pthread_create(&t, 0, attach, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
