// A wait without a predicate: the notification may come before anybody waits.
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable ready;

int main() {
    std::thread producer([] { ready.notify_one(); });
    std::unique_lock<std::mutex> lock(m);
    ready.wait(lock); //~ VIOLATION: deadlock
    lock.unlock();
    producer.join();
}
