// The flag changes outside of the lock: between the look at it and the sleep.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable ready;
static std::atomic<bool> set;

int main() {
    std::thread producer([] {
        set = true;
        ready.notify_one();
    });
    std::unique_lock<std::mutex> lock(m);
    ready.wait(lock, [] { return set.load(); }); //~ VIOLATION: deadlock
    lock.unlock();
    producer.join();
}
