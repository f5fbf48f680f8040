// A spin lock of std::atomic<bool>, with what is expected put back after each turn in vain.
//@ models: sc tso pso
//@ algorithms: optimal
//@ executions[optimal,sc]: 2
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class SpinLock {
    std::atomic<bool> taken{false};

  public:
    void lock() {
        bool expected = false;
        while (!taken.compare_exchange_weak(expected, true, std::memory_order_acquire))
            expected = false;
    }
    void unlock() { taken.store(false, std::memory_order_release); }
};

static SpinLock lock;
static int counter;

static void work() {
    std::lock_guard<SpinLock> guard(lock);
    counter++;
}

int main() {
    std::thread one(work), two(work);
    one.join();
    two.join();
    assert(counter == 2);
}
