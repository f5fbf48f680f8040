// A spin lock of std::atomic_flag, used through std::lock_guard.
//@ models: sc tso pso
//@ algorithms: optimal
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class SpinLock {
    std::atomic_flag taken = ATOMIC_FLAG_INIT;

  public:
    void lock() {
        while (taken.test_and_set(std::memory_order_acquire)) {
        }
    }
    void unlock() { taken.clear(std::memory_order_release); }
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
