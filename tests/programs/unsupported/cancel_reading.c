// Cancellation of a thread that waits for a pipe.
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *work(void *unused) {
    char byte;
    read(ends[0], &byte, 1); //~ UNSUPPORTED: cancellation of a thread that waits in read()
    return unused;
}

int main(void) {
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
}
