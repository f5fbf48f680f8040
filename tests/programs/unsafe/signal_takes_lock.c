// A handler takes a lock that the code it interrupts may hold.
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int full, events;

static void on_signal(int number) {
    pthread_mutex_lock(&mutex); //~ VIOLATION: deadlock
    events++;
    pthread_mutex_unlock(&mutex);
}

static void *fill(void *unused) {
    pthread_mutex_lock(&mutex);
    full = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, on_signal);
    pthread_create(&thread, NULL, fill, NULL);
    pthread_mutex_lock(&mutex);
    if (full) raise(SIGUSR1);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
}
