// A thread that counts two events down looks at the second thing before it is there.
//@ args: --check race
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>

static int events, first, second;

static void *work(void *unused) {
    first = 1;
    eventfd_write(events, 1);
    second = 1; //~ VIOLATION: data-race
    eventfd_write(events, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    eventfd_t value;
    events = eventfd(0, 0);
    pthread_create(&thread, NULL, work, NULL);
    eventfd_read(events, &value);
    int seen = first + second; //~ VIOLATION: data-race
    pthread_join(thread, NULL);
    return seen > 2;
}
