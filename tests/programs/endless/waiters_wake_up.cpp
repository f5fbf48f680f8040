// Two threads wait for one condition variable, look at something else each time that they wake
// up, and wake up for no reason at any time: one that waits again is where it was.
//@ models: sc
//@ algorithms: stateful
//@ engines: explore
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static int ready, busy;

static void work() {
    std::unique_lock<std::mutex> guard(lock);
    while (true) {
        changed.wait(guard, [] { return ready > 0; });
        if (ready == 3)
            break;
        busy++;
        guard.unlock();
        guard.lock();
        if (--busy == 0 && ready < 3)
            ready++;
        changed.notify_all();
    }
}

int main() {
    std::thread one(work), two(work);
    {
        std::lock_guard<std::mutex> guard(lock);
        ready = 1;
    }
    changed.notify_all();
    one.join();
    two.join();
    assert(ready == 3);
}
