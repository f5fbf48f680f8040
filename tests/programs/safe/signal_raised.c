// A handler runs where its signal is raised, in the same thread.
//@ verdict: bounded
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

static volatile sig_atomic_t stop;
static _Thread_local int handled;

static void on_signal(int number) {
    handled += number == SIGUSR1;
    stop = 1;
}

static void *work(void *unused) {
    raise(SIGUSR1);
    assert(handled == 1 && stop);
    return unused;
}

int main(void) {
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR2);
    assert(sigismember(&action.sa_mask, SIGUSR2) && !sigismember(&action.sa_mask, SIGINT));
    action.sa_handler = on_signal;
    assert(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGKILL, &action, NULL) == -1);
    assert(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == on_signal);
    assert(signal(SIGUSR2, SIG_IGN) == SIG_DFL);
    raise(SIGUSR2);
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    assert(handled == 0);
    assert(pthread_kill(pthread_self(), SIGUSR1) == 0 && handled == 1);
}
