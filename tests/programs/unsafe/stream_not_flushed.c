// What was printed waits in the stream's buffer: nobody at the other end gets it.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];

static void *work(void *unused) {
    FILE *out = fdopen(ends[1], "w");
    fputs("x", out);
    return unused;
}

int main(void) {
    pthread_t thread;
    char byte;
    pipe(ends);
    pthread_create(&thread, NULL, work, NULL);
    read(ends[0], &byte, 1); //~ VIOLATION: deadlock
    pthread_join(thread, NULL);
}
