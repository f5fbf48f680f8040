// The pointer is published without release: the data may come later.
//@ models: sc tso pso
//@ algorithms: optimal
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> data;
static std::atomic<bool> ready;

int main() {
    std::thread producer([] {
        data.store(1, std::memory_order_relaxed);
        ready.store(true, std::memory_order_relaxed);
    });
    if (ready.load(std::memory_order_acquire))
        assert(data.load(std::memory_order_relaxed) == 1); //~ VIOLATION[pso]: assertion
    producer.join();
}
