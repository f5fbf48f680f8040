// Each thread has a number of its own.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int number;

static void *work(void *unused) {
    number = gettid();
    assert(number == syscall(SYS_gettid));
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    assert(number > 0 && number != gettid());
}
