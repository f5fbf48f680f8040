// A jump out of a signal handler; sigsetjmp keeps the mask of signals if it is told to.
//@ verdict: bounded
#include <assert.h>
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf keeps, leaves;

static int is_blocked(void) {
    sigset_t now;
    sigprocmask(SIG_BLOCK, 0, &now);
    return sigismember(&now, SIGUSR2);
}

static void block(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, 0);
}

static void on_signal(int number) {
    block();
    siglongjmp(keeps, number);
}

int main(void) {
    signal(SIGUSR1, on_signal);
    if (sigsetjmp(keeps, 1) == 0) raise(SIGUSR1);
    assert(!is_blocked());
    if (sigsetjmp(leaves, 0) == 0) {
        block();
        siglongjmp(leaves, 1);
    }
    assert(is_blocked());
}
