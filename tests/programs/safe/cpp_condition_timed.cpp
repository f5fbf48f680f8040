// wait_for gives up or is notified; the clock is read, of which not every reading is
// tried.
//@ algorithms: optimal
//@ verdict: bounded
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable ready;
static bool set;

int main() {
    std::thread producer([] {
        std::lock_guard<std::mutex> guard(m);
        set = true;
        ready.notify_one();
    });
    std::unique_lock<std::mutex> lock(m);
    bool done = ready.wait_for(lock, std::chrono::seconds(1), [] { return set; });
    assert(done == set);
    lock.unlock();
    producer.join();
}
