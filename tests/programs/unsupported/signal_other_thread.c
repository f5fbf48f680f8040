// A signal for another thread would interrupt it anywhere.
//@ algorithms: optimal
#include <pthread.h>
#include <signal.h>

static void on_signal(int number) {}

static void *work(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, on_signal);
    pthread_create(&thread, NULL, work, NULL);
    pthread_kill(thread, SIGUSR1); //~ UNSUPPORTED: a signal for another thread
    pthread_join(thread, NULL);
}
