// A counter as Linux has it: a read takes all of it, or one with EFD_SEMAPHORE.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int sum, single;

static void *work(void *unused) {
    eventfd_write(sum, 2);
    eventfd_write(single, 2);
    return unused;
}

int main(void) {
    pthread_t thread;
    eventfd_t value;
    sum = eventfd(1, EFD_NONBLOCK);
    single = eventfd(0, EFD_SEMAPHORE);
    pthread_create(&thread, NULL, work, NULL);
    assert(eventfd_read(single, &value) == 0 && value == 1);
    assert(eventfd_read(sum, &value) == 0 && value == 3);
    assert(eventfd_read(sum, &value) == -1);
    pthread_join(thread, NULL);
}
