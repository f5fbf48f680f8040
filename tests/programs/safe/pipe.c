// A thread waits until another has written to a pipe; what was done before it is seen.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2], data;

static void *work(void *unused) {
    data = 7;
    assert(write(ends[1], "x", 1) == 1);
    close(ends[1]);
    return unused;
}

int main(void) {
    pthread_t thread;
    char byte;
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, work, NULL);
    struct pollfd asked = {ends[0], POLLIN, 0};
    assert(poll(&asked, 1, -1) == 1 && (asked.revents & POLLIN));
    assert(read(ends[0], &byte, 1) == 1 && byte == 'x' && data == 7);
    assert(read(ends[0], &byte, 1) == 0);
    close(ends[0]);
    pthread_join(thread, NULL);
}
