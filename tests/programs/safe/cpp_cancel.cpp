// A thread of C++ that is cancelled runs the destructors of what it has.
//@ verdict: bounded
//@ lazy: skip  a wait that a cancellation may end is not in the formulas
#include <cassert>
#include <mutex>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool ready;

struct Lock {
    Lock() { pthread_mutex_lock(&mutex); }
    ~Lock() { pthread_mutex_unlock(&mutex); }
};

static void *work(void *) {
    Lock lock;
    while (!ready) pthread_cond_wait(&changed, &mutex);
    return nullptr;
}

int main() {
    pthread_t thread;
    void *result;
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    Lock lock;
}
