// Memory from the system starts with zeros, in whole pages. That it is there is a bound.
//@ verdict: bounded
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

static void *work(void *shared) {
    ((int *)shared)[1] = 5;
    return shared;
}

int main(void) {
    int *page = mmap(NULL, 100, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t thread;
    assert(page != MAP_FAILED && page[1023] == 0);
    pthread_create(&thread, NULL, work, page);
    pthread_join(thread, NULL);
    assert(page[1] == 5 && munmap(page, 100) == 0);
}
