// Each thread has a block of its own.
#include <assert.h>
#include <pthread.h>

static void *own(void) {
    void *pointer;
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
    return pointer;
}

static void *work(void *unused) { return own(); }

int main(void) {
    pthread_t thread;
    void *other;
    assert(own() == own() && own() == __builtin_thread_pointer());
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, &other);
    assert(other && other != own());
    return 0;
}
