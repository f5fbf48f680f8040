// std::condition_variable_any waits with any lock.
//@ verdict: bounded
//@ lazy: bounded  one wake-up a thread
//@ algorithms: optimal
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex m;
static std::condition_variable_any ready;
static bool set;

int main() {
    std::thread producer([] {
        std::lock_guard<std::shared_mutex> guard(m);
        set = true;
        ready.notify_all();
    });
    std::shared_lock<std::shared_mutex> lock(m);
    while (!set) ready.wait(lock);
    lock.unlock();
    producer.join();
}
