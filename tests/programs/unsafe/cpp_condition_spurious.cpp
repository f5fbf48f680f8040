// A wait without a loop around it, and a wake-up without a signal.
//@ algorithms: optimal
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable c;
static bool ready;

int main() {
    std::thread waiter([] {
        std::unique_lock<std::mutex> lock(m);
        if (!ready) c.wait(lock);
        assert(ready);  //~ VIOLATION: assertion
    });
    {
        std::lock_guard<std::mutex> guard(m);
        ready = true;
        c.notify_one();
    }
    waiter.join();
}
