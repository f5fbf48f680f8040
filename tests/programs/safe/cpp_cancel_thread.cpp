// A std::thread that waits for a std::condition_variable is cancelled: its destructors run, and
// the mutex is given back.
//@ verdict: bounded
//@ lazy: skip  a wait that a cancellation may end is not in the formulas
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static bool ready;
static int gone;

struct Mark {
    ~Mark() { gone++; }
};

int main() {
    std::thread thread([] {
        Mark mark;
        std::unique_lock<std::mutex> lock(mutex);
        while (!ready) changed.wait(lock);
    });
    pthread_cancel(thread.native_handle());
    thread.join();
    assert(gone == 1 && mutex.try_lock());
    mutex.unlock();
}
